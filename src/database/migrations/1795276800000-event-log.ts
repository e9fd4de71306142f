import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** The log of events. `account_id` is 0 for those that every account can read. */
export class EventLog1795276800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, time, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "event_log" (
        "id" ${id},
        "event_id" TEXT NOT NULL,
        "type" TEXT NOT NULL,
        "account_id" ${int64} NOT NULL,
        "subject" TEXT NOT NULL,
        "data" TEXT NOT NULL,
        "actor" TEXT,
        "actor_account_id" ${int64},
        "request_id" TEXT,
        "trace_id" TEXT,
        "at" ${time} NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "event_log_account_id_type_id" ON "event_log" ("account_id", "type", "id")');
    await runner.query('CREATE INDEX "event_log_subject_id" ON "event_log" ("subject", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "event_log"');
  }
}
