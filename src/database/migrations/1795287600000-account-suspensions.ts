import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

const COLUMNS = ['suspended_at', 'other_per_minute', 'other_per_day', 'other_until'];

/** Lets accounts be suspended, and have other limits for a time. The previous version ignores both. */
export class AccountSuspensions1795287600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64 } = columnTypes(runner);
    for (const column of COLUMNS) await runner.query(`ALTER TABLE "accounts" ADD COLUMN "${column}" ${int64}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) await runner.query(`ALTER TABLE "accounts" DROP COLUMN "${column}"`);
  }
}
