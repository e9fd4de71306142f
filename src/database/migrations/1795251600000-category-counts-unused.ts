import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CategoryCountsNotNegative1795240800000 } from './1795240800000-category-counts-not-negative.js';

/**
 * The table of counts is no longer used, but instances of version 1.1 that still run write to it. They must not be refused to
 * remove a pet that nobody counted.
 */
export class CategoryCountsUnused1795251600000 implements MigrationInterface {
  private readonly notNegative = new CategoryCountsNotNegative1795240800000();

  up(runner: QueryRunner): Promise<void> {
    return this.notNegative.down(runner);
  }

  /** Also corrects the counts. */
  down(runner: QueryRunner): Promise<void> {
    return this.notNegative.up(runner);
  }
}
