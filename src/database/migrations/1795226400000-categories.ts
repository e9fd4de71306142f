import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** Categories, a table for the counts of their pets, which a later migration fills, and pets that an order reserves. */
export class Categories1795226400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    await runner.query(`ALTER TABLE "pets" ADD COLUMN "held" ${int64} NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE "categories" (
        "id" ${int64} PRIMARY KEY NOT NULL,
        "name" TEXT NOT NULL
      ) ${tableEnd}`);
    await runner.query(`
      CREATE TABLE "category_counts" (
        "category_id" ${int64} PRIMARY KEY NOT NULL,
        "available" ${int64} NOT NULL,
        "pending" ${int64} NOT NULL,
        "sold" ${int64} NOT NULL,
        "none" ${int64} NOT NULL
      ) ${tableEnd}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "category_counts"');
    await runner.query('DROP TABLE "categories"');
    await runner.query('ALTER TABLE "pets" DROP COLUMN "held"');
  }
}
