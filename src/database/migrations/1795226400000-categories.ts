import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from './column-types.js';

/** Categories with the counts of their pets, and pets that an order reserves. */
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
    // The new column locks the table, so no pets are added until the migration ends.
    await runner.query(`
      INSERT INTO "category_counts" ("category_id", "available", "pending", "sold", "none")
      SELECT "category_id",
        COUNT(CASE WHEN "status" = 'available' THEN 1 END),
        COUNT(CASE WHEN "status" = 'pending' THEN 1 END),
        COUNT(CASE WHEN "status" = 'sold' THEN 1 END),
        COUNT(CASE WHEN "status" IS NULL THEN 1 END)
      FROM "pets" GROUP BY "category_id"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "category_counts"');
    await runner.query('DROP TABLE "categories"');
    await runner.query('ALTER TABLE "pets" DROP COLUMN "held"');
  }
}
