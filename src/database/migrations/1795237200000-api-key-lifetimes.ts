import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';
import { byBytes, isPostgres } from '../statements.js';

/** Moves the lifetime and the successor of a key from the audit trail to the key, and adds indexes by account. */
export class ApiKeyLifetimes1795237200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64 } = columnTypes(runner);
    await runner.query(`ALTER TABLE "api_keys" ADD COLUMN "lifetime_ms" ${int64}`);
    await runner.query('ALTER TABLE "api_keys" ADD COLUMN "successor_id" TEXT');
    const detail = isPostgres(runner) ? '"detail"::jsonb' : '"detail"';
    // If the audit record of a key was deleted, its times give its lifetime: at least 1 ms, because 0 means never.
    await runner.query(`
      UPDATE "api_keys" SET
        "lifetime_ms" = COALESCE(
          (
            SELECT COALESCE(CAST(${detail} ->> 'lifetimeMs' AS ${int64}), 0) FROM "audit_records"
            WHERE "key_id" = "api_keys"."id" AND "action" = 'key.created' LIMIT 1
          ),
          CASE WHEN "expires_at" <= "created_at" THEN 1 ELSE "expires_at" - "created_at" END,
          0
        ),
        "successor_id" = (
          SELECT ${detail} ->> 'successor' FROM "audit_records"
          WHERE "key_id" = "api_keys"."id" AND "action" = 'key.rotated' ORDER BY "audit_records"."id" DESC LIMIT 1
        )`);
    const id = byBytes(runner, '"id"');
    await runner.query(
      `CREATE INDEX "api_keys_account_id_created_at_id" ON "api_keys" ("account_id", "created_at", ${id})`,
    );
    await runner.query(
      'CREATE INDEX "api_keys_not_revoked" ON "api_keys" ("account_id", "expires_at") WHERE "revoked_at" IS NULL',
    );
    // The first new index replaces this one.
    await runner.query('DROP INDEX "api_keys_account_id"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX "api_keys_account_id" ON "api_keys" ("account_id")');
    for (const index of ['api_keys_not_revoked', 'api_keys_account_id_created_at_id'])
      await runner.query(`DROP INDEX "${index}"`);
    for (const column of ['successor_id', 'lifetime_ms'])
      await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "${column}"`);
  }
}
