import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forUpdate, lockUntilCommit, query } from '../kernel.js';
import type { CategoryEntity } from './category.entity.js';

const INSERT = `INSERT INTO "categories" ("id", "name") VALUES (CAST(? AS BIGINT), ?)
  ON CONFLICT ("id") DO NOTHING RETURNING "name"`;

const HIGHEST_ISSUED = Number.MAX_SAFE_INTEGER;
const ISSUED = `BETWEEN 1 AND ${HIGHEST_ISSUED}`;

/** The highest identifier that a category or a pet has; read from the ends of indexes. */
const HIGHEST = `
  SELECT MAX("id") AS "id" FROM (
    SELECT MAX("id") AS "id" FROM "categories" WHERE "id" ${ISSUED}
    UNION SELECT MAX("category_id") FROM "pets" WHERE "category_id" ${ISSUED}
  ) AS "highest"`;

/** The queries of categories that TypeORM does not say as well. Identifiers are decimal digits, or numbers if that is exact. */
@Injectable()
export class CategoriesRepository {
  async lock(manager: EntityManager, id: string): Promise<CategoryEntity | undefined> {
    const sql = `SELECT "id", "name" FROM "categories" WHERE "id" = CAST(? AS BIGINT)${forUpdate(manager, 'categories')}`;
    return (await query<CategoryEntity>(manager, sql, [id]))[0];
  }

  /** @returns the identifier, by default a new one from 1 to 2^53 - 1; undefined if a category has it already */
  async insert(manager: EntityManager, name: string, id?: string): Promise<string | undefined> {
    // Otherwise two could choose the same new identifier.
    await lockUntilCommit(manager, 'categories');
    const categoryId = id ?? String(await newId(manager));
    return (await query(manager, INSERT, [categoryId, name])).length > 0 ? categoryId : undefined;
  }
}

/** One above the highest; if a client has used the last one, a random one, which is hardly in use. */
async function newId(manager: EntityManager): Promise<number> {
  const [row] = await query<{ readonly id: number | null }>(manager, HIGHEST);
  const highest = row?.id ?? 0;
  return highest < HIGHEST_ISSUED ? highest + 1 : 1 + Math.floor(Math.random() * HIGHEST_ISSUED);
}
