import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isPostgres } from '../statements.js';

const COUNTS = ['available', 'pending', 'sold', 'none'];
const NAMES = COUNTS.map((name) => `"${name}"`).join(', ');
const LEAST_NEW = COUNTS.map((name) => `NEW."${name}"`).join(', ');
const EXCLUDED = COUNTS.map((name) => `excluded."${name}"`).join(', ');
const PRESENT = COUNTS.map((name) => `"category_counts"."${name}"`).join(', ');

/** For every category that has counts or pets. */
const RECOUNT = `
  INSERT INTO "category_counts" ("category_id", ${NAMES})
  SELECT "category_id",
    COUNT(CASE WHEN "status" = 'available' THEN 1 END),
    COUNT(CASE WHEN "status" = 'pending' THEN 1 END),
    COUNT(CASE WHEN "status" = 'sold' THEN 1 END),
    COUNT("id") - COUNT("status")
  FROM (SELECT "category_id" FROM "category_counts" UNION SELECT "category_id" FROM "pets") AS "known"
    LEFT JOIN "pets" USING ("category_id")
  WHERE TRUE GROUP BY "category_id"
  ON CONFLICT ("category_id") DO UPDATE SET ${COUNTS.map((name) => `"${name}" = excluded."${name}"`).join(', ')}
  WHERE (${PRESENT}) <> (${EXCLUDED})`;

/**
 * Corrects the counts of categories, and refuses negative ones from now on. A CHECK would also apply to the row that an
 * upsert proposes, which contains negative changes when pets leave a category, so it uses triggers.
 */
export class CategoryCountsNotNegative1795240800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (isPostgres(runner)) await upPostgres(runner);
    else await upSqlite(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (isPostgres(runner)) {
      await runner.query('DROP TRIGGER "category_counts_not_negative" ON "category_counts"');
      await runner.query('DROP FUNCTION "refuse_negative_category_counts"');
    } else {
      await runner.query('DROP TRIGGER "category_counts_not_negative_insert"');
      await runner.query('DROP TRIGGER "category_counts_not_negative_update"');
    }
  }
}

async function upPostgres(runner: QueryRunner): Promise<void> {
  // Instances of the previous version keep running: a transaction that has yet to count its pets waits.
  await runner.query('LOCK TABLE "category_counts" IN SHARE ROW EXCLUSIVE MODE');
  await runner.query(RECOUNT);
  await runner.query(`
    CREATE FUNCTION "refuse_negative_category_counts"() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'Counts of category % would be negative', NEW."category_id" USING ERRCODE = 'check_violation';
    END $$`);
  await runner.query(`
    CREATE TRIGGER "category_counts_not_negative" AFTER INSERT OR UPDATE ON "category_counts"
    FOR EACH ROW WHEN (LEAST(${LEAST_NEW}) < 0) EXECUTE FUNCTION "refuse_negative_category_counts"()`);
}

async function upSqlite(runner: QueryRunner): Promise<void> {
  await runner.query(RECOUNT);
  for (const event of ['INSERT', 'UPDATE']) {
    await runner.query(`
      CREATE TRIGGER "category_counts_not_negative_${event.toLowerCase()}" AFTER ${event} ON "category_counts"
      WHEN MIN(${LEAST_NEW}) < 0
      BEGIN
        SELECT RAISE(ABORT, 'Counts of a category would be negative');
      END`);
  }
}
