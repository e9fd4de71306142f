import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Where accounts get their events. Secrets are encrypted. */
export class Webhooks1795284000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, time, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "webhooks" (
        "id" ${id},
        "account_id" ${int64} NOT NULL,
        "key_id" TEXT NOT NULL,
        "url" TEXT NOT NULL,
        "types" TEXT NOT NULL,
        "state" TEXT NOT NULL,
        "reason" TEXT,
        "secret" TEXT NOT NULL,
        "previous_secret" TEXT,
        "previous_until" ${time},
        "failing_since" ${time},
        "created_at" ${time} NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "webhooks_account_id_id" ON "webhooks" ("account_id", "id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "webhooks"');
  }
}
