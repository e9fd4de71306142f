import type { EntityManager } from 'typeorm';
import { query } from '../database/index.js';

/** What the service assigns. */
const ISSUED = `BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}`;

/** The highest identifier that a category has, or that pets use or have ever used; from the indexes alone. */
const HIGHEST = `
  SELECT MAX("id") AS "id" FROM (
    SELECT MAX("id") AS "id" FROM "categories" WHERE "id" ${ISSUED}
    UNION SELECT MAX("category_id") FROM "category_counts" WHERE "category_id" ${ISSUED}
  ) AS "highest"`;

const LOWEST_FREE = `
  WITH "known" AS (
    SELECT 0 AS "id"
    UNION SELECT "id" FROM "categories" WHERE "id" ${ISSUED}
    UNION SELECT "category_id" FROM "category_counts" WHERE "category_id" ${ISSUED}
  )
  SELECT MIN("id") + 1 AS "id" FROM "known" WHERE "id" + 1 NOT IN (SELECT "id" FROM "known")`;

/** Pets that name the identifier meanwhile wait for it, as they have to count themselves in the same row. */
const RESERVE = `
  INSERT INTO "category_counts" ("category_id", "available", "pending", "sold", "none") VALUES (?, 0, 0, 0, 0)
  ON CONFLICT ("category_id") DO NOTHING RETURNING "category_id"`;

/**
 * An identifier for a new category, from 1 on and below 2^53: one above all that are known, or, where a client has used
 * the last one, the lowest that is free. To be called by one transaction at a time.
 */
export async function reserveFreeId(manager: EntityManager): Promise<string> {
  for (;;) {
    const highest = await only(manager, HIGHEST);
    const id = highest === Number.MAX_SAFE_INTEGER ? await only(manager, LOWEST_FREE) : highest + 1;
    if ((await query(manager, RESERVE, [id])).length > 0) return String(id);
  }
}

async function only(manager: EntityManager, sql: string): Promise<number> {
  const [row] = await query<{ readonly id: number | null }>(manager, sql);
  return row?.id ?? 0;
}
