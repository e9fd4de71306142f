import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CategoryCountsNotNegative1795240800000 } from './1795240800000-category-counts-not-negative.js';

/** Instances of version 1.1 that still run write to the table of counts. They must not be refused to remove a pet. */
export class CategoryCountsUnused1795251600000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return new CategoryCountsNotNegative1795240800000().down(runner);
  }

  /** Version 1.1 works without the triggers, and its `recount` corrects the counts. */
  async down(): Promise<void> {}
}
