import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forUpdate, lockUntilCommit, query } from '../database/index.js';
import { COUNTED, type Counted, lockCounts } from './category-counts.js';
import type { ListCategoriesQuery } from './category.dto.js';

/** A row of the table of categories. */
export interface CategoryRow extends Readonly<Record<Counted, number>> {
  /** Decimal digits. */
  readonly id: string;
  readonly name: string;
}

const COUNTS = COUNTED.map((status) => `COALESCE("${status}", 0) AS "${status}"`).join(', ');
const SELECT = `SELECT CAST("id" AS TEXT) AS "id", "name", ${COUNTS} FROM "categories" LEFT JOIN "category_counts" ON "category_id" = "categories"."id"`;

/** Maximum identifier that the service assigns. */
const HIGHEST_ISSUED = Number.MAX_SAFE_INTEGER;
const ISSUED = `BETWEEN 1 AND ${HIGHEST_ISSUED}`;

/** The highest identifier of any category, or that pets use or have used; read from the ends of indexes. */
const HIGHEST = `
  SELECT MAX("id") AS "id" FROM (
    SELECT MAX("id") AS "id" FROM "categories" WHERE "id" ${ISSUED}
    UNION SELECT MAX("category_id") FROM "category_counts" WHERE "category_id" ${ISSUED}
  ) AS "highest"`;

const FIND_USED = `
  SELECT "id" FROM "categories" WHERE "id" = CAST(? AS BIGINT)
  UNION SELECT "category_id" FROM "category_counts" WHERE "category_id" = CAST(? AS BIGINT)`;

/** Locks the row of the counts, for which new pets of the category wait. */
const RESERVE = `
  INSERT INTO "category_counts" ("category_id", "available", "pending", "sold", "none") VALUES (?, 0, 0, 0, 0)
  ON CONFLICT ("category_id") DO NOTHING RETURNING "category_id"`;

/**
 * All SQL of categories. Identifiers are decimal digits, cast from and to text, because SQLite's driver would round numbers.
 */
@Injectable()
export class CategoriesRepository {
  /** Categories in ascending order of `id`, one more than the limit if there are more. */
  page(manager: EntityManager, { limit, after }: ListCategoriesQuery): Promise<CategoryRow[]> {
    const where = after === undefined ? '' : ' WHERE "categories"."id" > CAST(? AS BIGINT)';
    const parameters = after === undefined ? [limit + 1] : [after, limit + 1];
    return query(manager, `${SELECT}${where} ORDER BY "categories"."id" LIMIT ?`, parameters);
  }

  async find(manager: EntityManager, id: string): Promise<CategoryRow | undefined> {
    const [row] = await query<CategoryRow>(manager, `${SELECT} WHERE "categories"."id" = CAST(? AS BIGINT)`, [id]);
    return row;
  }

  /** A category whose name and counts are locked until the transaction ends. */
  async lock(manager: EntityManager, id: string): Promise<CategoryRow | undefined> {
    const sql = `SELECT "name" FROM "categories" WHERE "id" = CAST(? AS BIGINT)${forUpdate(manager, 'categories')}`;
    if ((await query(manager, sql, [id])).length === 0) return undefined;
    await lockCounts(manager, id);
    // A separate statement: one that waits for a lock reads other rows as they were before it waited.
    return this.find(manager, id);
  }

  /**
   * Inserts a category.
   * @param id a free one is assigned if it is undefined
   * @returns its identifier; undefined if a category has it already
   */
  async insert(manager: EntityManager, name: string, id?: string): Promise<string | undefined> {
    await lockUntilCommit(manager, 'categories');
    const newId = id ?? (await reserveFreeId(manager));
    const sql = `INSERT INTO "categories" ("id", "name") VALUES (CAST(? AS BIGINT), ?)
      ON CONFLICT ("id") DO NOTHING RETURNING "name"`;
    return (await query(manager, sql, [newId, name])).length > 0 ? newId : undefined;
  }

  async rename(manager: EntityManager, id: string, name: string): Promise<void> {
    await query(manager, 'UPDATE "categories" SET "name" = ? WHERE "id" = CAST(? AS BIGINT)', [name, id]);
  }
}

/**
 * An identifier for a new category, from 1 to 2^53 - 1: one above all known ones, or, if a client has used the last one,
 * another free one. Call it in one transaction at a time.
 */
async function reserveFreeId(manager: EntityManager): Promise<string> {
  for (;;) {
    const [row] = await query<{ readonly id: number | null }>(manager, HIGHEST);
    const highest = row?.id ?? 0;
    const id = highest < HIGHEST_ISSUED ? highest + 1 : await findGap(manager);
    if ((await query(manager, RESERVE, [id])).length > 0) return String(id);
  }
}

/**
 * The identifier after a run of used ones: doubling finds a free one, bisection the end of the run below it. It takes about
 * 100 look-ups at most; finding the lowest free one would read all of them.
 */
async function findGap(manager: EntityManager): Promise<number> {
  let used = 0;
  let free = 1;
  while (await isUsed(manager, free)) {
    used = free;
    // Clients can use all powers of two, but a random identifier is unlikely to be used.
    free = free * 2 <= HIGHEST_ISSUED ? free * 2 : 1 + Math.floor(Math.random() * HIGHEST_ISSUED);
  }
  while (free - used > 1) {
    const middle = used + Math.floor((free - used) / 2);
    if (await isUsed(manager, middle)) used = middle;
    else free = middle;
  }
  return free;
}

async function isUsed(manager: EntityManager, id: number): Promise<boolean> {
  return (await query(manager, FIND_USED, [String(id), String(id)])).length > 0;
}
