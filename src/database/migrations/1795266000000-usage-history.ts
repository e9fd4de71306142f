import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** The requests of accounts by hour, in Unix time in seconds, and by what became of them. */
export class UsageHistory1795266000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "usage_history" (
        "account_id" ${int64} NOT NULL,
        "hour" ${int64} NOT NULL,
        "key_id" TEXT NOT NULL,
        "operation" TEXT NOT NULL,
        "outcome" TEXT NOT NULL,
        "requests" ${int64} NOT NULL,
        PRIMARY KEY ("account_id", "hour", "key_id", "operation", "outcome")
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "usage_history_hour" ON "usage_history" ("hour")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "usage_history"');
  }
}
