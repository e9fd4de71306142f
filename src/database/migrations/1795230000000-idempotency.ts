import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Responses that are kept for repeated requests. */
export class Idempotency1795230000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "idempotency_records" (
        "account_id" ${int64} NOT NULL,
        "idempotency_key" TEXT NOT NULL,
        "fingerprint" TEXT NOT NULL,
        "sealed_answer" TEXT NOT NULL,
        "expires_at" ${int64} NOT NULL,
        PRIMARY KEY ("account_id", "idempotency_key")
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "idempotency_records_expires_at" ON "idempotency_records" ("expires_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "idempotency_records"');
  }
}
