import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isPostgres } from '../statements.js';

/** Version 1.1 refused negative counts from here on. The counts are no longer used, so no triggers are created. */
export class CategoryCountsNotNegative1795240800000 implements MigrationInterface {
  async up(): Promise<void> {}

  /** Drops the triggers that version 1.1 created, if any. */
  async down(runner: QueryRunner): Promise<void> {
    if (isPostgres(runner)) {
      await runner.query('DROP TRIGGER IF EXISTS "category_counts_not_negative" ON "category_counts"');
      await runner.query('DROP FUNCTION IF EXISTS "refuse_negative_category_counts"');
      return;
    }
    for (const event of ['insert', 'update'])
      await runner.query(`DROP TRIGGER IF EXISTS "category_counts_not_negative_${event}"`);
  }
}
