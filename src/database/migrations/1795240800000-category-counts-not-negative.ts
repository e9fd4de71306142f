import type { MigrationInterface } from 'typeorm';

/** Version 1.1 refused negative counts from here on. The counts are no longer used, so nothing is left to do. */
export class CategoryCountsNotNegative1795240800000 implements MigrationInterface {
  async up(): Promise<void> {}

  async down(): Promise<void> {}
}
