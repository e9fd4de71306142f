import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Catalogue, accounts with their keys and audit trail, and the counters that survive a restart. */
export class Initial1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "pets" (
        "id" ${id},
        "name" TEXT NOT NULL,
        "status" TEXT CONSTRAINT "pets_status" CHECK ("status" IN ('available', 'pending', 'sold')),
        "category_id" ${int64} NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "pets_status_id" ON "pets" ("status", "id")');
    await runner.query(`
      CREATE TABLE "accounts" (
        "id" ${id},
        "name" TEXT NOT NULL,
        "plan" TEXT NOT NULL,
        "per_minute" ${int64},
        "per_day" ${int64},
        "created_at" ${int64} NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE UNIQUE INDEX "accounts_name" ON "accounts" ("name")');
    await runner.query(`
      CREATE TABLE "api_keys" (
        "id" TEXT PRIMARY KEY NOT NULL,
        "account_id" ${int64} NOT NULL,
        "sha256" TEXT NOT NULL,
        "masked" TEXT NOT NULL,
        "scopes" TEXT NOT NULL,
        "created_at" ${int64} NOT NULL,
        "expires_at" ${int64},
        "revoked_at" ${int64},
        "last_used_at" ${int64},
        "bans_lifted_at" ${int64},
        CONSTRAINT "api_keys_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "api_keys_account_id" ON "api_keys" ("account_id")');
    await runner.query('CREATE UNIQUE INDEX "api_keys_sha256" ON "api_keys" ("sha256")');
    await runner.query(`
      CREATE TABLE "audit_records" (
        "id" ${id},
        "at" ${int64} NOT NULL,
        "actor" TEXT NOT NULL,
        "action" TEXT NOT NULL,
        "account_id" ${int64} NOT NULL,
        "key_id" TEXT,
        "detail" TEXT NOT NULL
      ) ${tableEnd}`);
    await runner.query(`
      CREATE TABLE "usage_windows" (
        "subject" TEXT PRIMARY KEY NOT NULL,
        "minute_start" ${int64} NOT NULL,
        "minute_used" ${int64} NOT NULL,
        "day_start" ${int64} NOT NULL,
        "day_used" ${int64} NOT NULL
      ) ${tableEnd}`);
    await runner.query(`
      CREATE TABLE "key_bans" (
        "key_id" TEXT PRIMARY KEY NOT NULL,
        "strikes_start" ${int64} NOT NULL,
        "strikes" ${int64} NOT NULL,
        "banned_until" ${int64} NOT NULL,
        "ban_starts" TEXT NOT NULL
      ) ${tableEnd}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['key_bans', 'usage_windows', 'audit_records', 'api_keys', 'accounts', 'pets'])
      await runner.query(`DROP TABLE "${table}"`);
  }
}
