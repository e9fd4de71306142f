import { randomUUID } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Tells the database from all others, so that services with different ones do not share keys in Redis by accident. */
export class DatabaseIdentity1795269600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { tableEnd } = columnTypes(runner);
    await runner.query(`CREATE TABLE "database_identity" ("id" TEXT PRIMARY KEY NOT NULL) ${tableEnd}`);
    await runner.query(`INSERT INTO "database_identity" ("id") VALUES ('${randomUUID()}')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "database_identity"');
  }
}
