import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Catalogue, accounts with their keys and audit trail, and the counters that outlive a restart. */
export class Initial1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "pets" (
        "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        "name" TEXT NOT NULL,
        "status" TEXT CONSTRAINT "pets_status" CHECK ("status" IN ('available', 'pending', 'sold')),
        "category_id" INTEGER NOT NULL
      ) STRICT`);
    await runner.query('CREATE INDEX "pets_status_id" ON "pets" ("status", "id")');
    await runner.query(`
      CREATE TABLE "accounts" (
        "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        "name" TEXT NOT NULL,
        "plan" TEXT NOT NULL,
        "per_minute" INTEGER,
        "per_day" INTEGER,
        "created_at" INTEGER NOT NULL
      ) STRICT`);
    await runner.query('CREATE UNIQUE INDEX "accounts_name" ON "accounts" ("name")');
    await runner.query(`
      CREATE TABLE "api_keys" (
        "id" TEXT PRIMARY KEY NOT NULL,
        "account_id" INTEGER NOT NULL,
        "sha256" TEXT NOT NULL,
        "masked" TEXT NOT NULL,
        "scopes" TEXT NOT NULL,
        "created_at" INTEGER NOT NULL,
        "expires_at" INTEGER,
        "revoked_at" INTEGER,
        "last_used_at" INTEGER,
        "bans_lifted_at" INTEGER,
        CONSTRAINT "api_keys_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) STRICT`);
    await runner.query('CREATE INDEX "api_keys_account_id" ON "api_keys" ("account_id")');
    await runner.query('CREATE UNIQUE INDEX "api_keys_sha256" ON "api_keys" ("sha256")');
    await runner.query(`
      CREATE TABLE "audit_records" (
        "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        "at" INTEGER NOT NULL,
        "actor" TEXT NOT NULL,
        "action" TEXT NOT NULL,
        "account_id" INTEGER NOT NULL,
        "key_id" TEXT,
        "detail" TEXT NOT NULL
      ) STRICT`);
    await runner.query(`
      CREATE TABLE "usage_windows" (
        "subject" TEXT PRIMARY KEY NOT NULL,
        "minute_start" INTEGER NOT NULL,
        "minute_used" INTEGER NOT NULL,
        "day_start" INTEGER NOT NULL,
        "day_used" INTEGER NOT NULL
      ) STRICT`);
    await runner.query(`
      CREATE TABLE "key_bans" (
        "key_id" TEXT PRIMARY KEY NOT NULL,
        "strikes_start" INTEGER NOT NULL,
        "strikes" INTEGER NOT NULL,
        "banned_until" INTEGER NOT NULL,
        "ban_starts" TEXT NOT NULL
      ) STRICT`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['key_bans', 'usage_windows', 'audit_records', 'api_keys', 'accounts', 'pets']) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}
