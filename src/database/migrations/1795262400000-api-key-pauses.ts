import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Lets keys be paused. The previous version ignores it: to its instances, a paused key is valid. */
export class ApiKeyPauses1795262400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_keys" ADD COLUMN "paused_at" ${columnTypes(runner).int64}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "api_keys" DROP COLUMN "paused_at"');
  }
}
