import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forUpdate, lockUntilCommit, query } from '../database/index.js';
import type { ListCategoriesQuery } from './category.dto.js';

/** A row of the table of categories. */
export interface CategoryRow {
  /** Decimal digits. */
  readonly id: string;
  readonly name: string;
}

const SELECT = 'SELECT CAST("id" AS TEXT) AS "id", "name" FROM "categories"';
const INSERT = `INSERT INTO "categories" ("id", "name") VALUES (CAST(? AS BIGINT), ?)
  ON CONFLICT ("id") DO NOTHING RETURNING "name"`;

/** Maximum identifier that the service assigns. */
const HIGHEST_ISSUED = Number.MAX_SAFE_INTEGER;
const ISSUED = `BETWEEN 1 AND ${HIGHEST_ISSUED}`;

/** The highest identifier that a category or a pet has; read from the ends of indexes. */
const HIGHEST = `
  SELECT MAX("id") AS "id" FROM (
    SELECT MAX("id") AS "id" FROM "categories" WHERE "id" ${ISSUED}
    UNION SELECT MAX("category_id") FROM "pets" WHERE "category_id" ${ISSUED}
  ) AS "highest"`;

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

  /** A category that is locked until the transaction ends. */
  async lock(manager: EntityManager, id: string): Promise<CategoryRow | undefined> {
    const sql = `${SELECT} WHERE "categories"."id" = CAST(? AS BIGINT)${forUpdate(manager, 'categories')}`;
    const [row] = await query<CategoryRow>(manager, sql, [id]);
    return row;
  }

  /**
   * Inserts a category.
   * @param id default: a new one, from 1 to 2^53 - 1
   * @returns its identifier; undefined if a category has it already
   */
  async insert(manager: EntityManager, name: string, id?: string): Promise<string | undefined> {
    // Otherwise two could choose the same new identifier.
    await lockUntilCommit(manager, 'categories');
    const categoryId = id ?? String(await newId(manager));
    return (await query(manager, INSERT, [categoryId, name])).length > 0 ? categoryId : undefined;
  }

  async rename(manager: EntityManager, id: string, name: string): Promise<void> {
    await query(manager, 'UPDATE "categories" SET "name" = ? WHERE "id" = CAST(? AS BIGINT)', [name, id]);
  }
}

/** One above the highest; if a client has used the last one, a random one, which is hardly in use. */
async function newId(manager: EntityManager): Promise<number> {
  const [row] = await query<{ readonly id: number | null }>(manager, HIGHEST);
  const highest = row?.id ?? 0;
  return highest < HIGHEST_ISSUED ? highest + 1 : 1 + Math.floor(Math.random() * HIGHEST_ISSUED);
}
