import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CategoryCountsNotNegative1795240800000 } from './1795240800000-category-counts-not-negative.js';

/**
 * The table of counts is no longer used, but instances of version 1.1 that still run write to it. They must not be refused to
 * remove a pet that nobody counted.
 */
export class CategoryCountsUnused1795251600000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return new CategoryCountsNotNegative1795240800000().down(runner);
  }

  /** Version 1.1 works without the triggers, and its `recount` corrects the counts. */
  async down(): Promise<void> {}
}
