import type { EntityManager } from 'typeorm';
import { forUpdate, query } from '../database/index.js';
import { COUNTED, type Counted } from './count-pets.js';
import type { ListCategoriesQuery } from './list-categories.query.js';

/** A category as the database answers it. */
export interface CategoryRow extends Readonly<Record<Counted, number>> {
  /** Decimal digits. */
  readonly id: string;
  readonly name: string;
}

const COUNTS = COUNTED.map((status) => `COALESCE("${status}", 0) AS "${status}"`).join(', ');
/** Identifiers go through text in both directions: as numbers the driver for SQLite would round them. */
const SELECT = `SELECT CAST("id" AS TEXT) AS "id", "name", ${COUNTS} FROM "categories" LEFT JOIN "category_counts" ON "category_id" = "categories"."id"`;

/** Categories in ascending order of their identifiers, one more than the limit where there are more. */
export function selectPage(manager: EntityManager, { limit, after }: ListCategoriesQuery): Promise<CategoryRow[]> {
  const where = after === undefined ? '' : ' WHERE "categories"."id" > CAST(? AS BIGINT)';
  const parameters = after === undefined ? [limit + 1] : [after, limit + 1];
  return query(manager, `${SELECT}${where} ORDER BY "categories"."id" LIMIT ?`, parameters);
}

/** @param id decimal digits */
export async function selectCategory(manager: EntityManager, id: string): Promise<CategoryRow | undefined> {
  const [row] = await query<CategoryRow>(manager, `${SELECT} WHERE "categories"."id" = CAST(? AS BIGINT)`, [id]);
  return row;
}

/** Like selectCategory, of a category whose name nobody else can change until the transaction ends. */
export async function lockCategory(manager: EntityManager, id: string): Promise<CategoryRow | undefined> {
  const sql = `${SELECT} WHERE "categories"."id" = CAST(? AS BIGINT)${forUpdate(manager, 'categories')}`;
  const [row] = await query<CategoryRow>(manager, sql, [id]);
  return row;
}

/** @returns whether the category was added; not where there is one with that identifier */
export async function insertCategory(manager: EntityManager, id: string, name: string): Promise<boolean> {
  const sql = 'INSERT INTO "categories" ("id", "name") VALUES (CAST(? AS BIGINT), ?) ON CONFLICT ("id") DO NOTHING RETURNING "name"';
  return (await query(manager, sql, [id, name])).length > 0;
}

export async function updateName(manager: EntityManager, id: string, name: string): Promise<void> {
  await query(manager, 'UPDATE "categories" SET "name" = ? WHERE "id" = CAST(? AS BIGINT)', [name, id]);
}
