import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** In how many networks each key is used, by hour, in Unix time in seconds. The previous version ignores it. */
export class KeyNetworks1795291200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "key_networks" (
        "account_id" ${int64} NOT NULL,
        "key_id" TEXT NOT NULL,
        "hour" ${int64} NOT NULL,
        "networks" ${int64} NOT NULL,
        PRIMARY KEY ("account_id", "key_id", "hour")
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "key_networks_hour" ON "key_networks" ("hour")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "key_networks"');
  }
}
