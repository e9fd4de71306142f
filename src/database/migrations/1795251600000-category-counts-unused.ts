import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isPostgres } from '../statements.js';

/**
 * The table of counts is no longer used, but instances of version 1.1 that still run write to it. They must not be refused to
 * remove a pet that nobody counted, so the triggers of version 1.1 go.
 */
export class CategoryCountsUnused1795251600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (isPostgres(runner)) {
      await runner.query('DROP TRIGGER IF EXISTS "category_counts_not_negative" ON "category_counts"');
      await runner.query('DROP FUNCTION IF EXISTS "refuse_negative_category_counts"');
      return;
    }
    for (const event of ['insert', 'update'])
      await runner.query(`DROP TRIGGER IF EXISTS "category_counts_not_negative_${event}"`);
  }

  /** Version 1.1 works without them. */
  async down(): Promise<void> {}
}
