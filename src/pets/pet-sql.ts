import type { EntityManager } from 'typeorm';
import type { ListPetsQuery } from './list-pets.query.js';
import type { PetStatus } from './pet-status.js';

/** A pet as the database answers it. */
export interface PetRow {
  readonly id: number;
  readonly name: string;
  /** Decimal digits. */
  readonly categoryId: string;
  readonly status: PetStatus | null;
}

/*
 * SQL rather than the query builder, which takes five times as long as the statement itself to build it.
 * The category goes through text in both directions: as a number the driver for SQLite would round it.
 */
const COLUMNS = `"id", "name", CAST("category_id" AS TEXT) AS "categoryId", "status"`;

/** Pets in ascending order of their identifiers, one more than the limit where there are more. */
export function selectPage(manager: EntityManager, { limit, status, after }: ListPetsQuery): Promise<PetRow[]> {
  const conditions = [...(status === undefined ? [] : ['"status" = ?']), ...(after === undefined ? [] : ['"id" > CAST(? AS INTEGER)'])];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const parameters = [status, after].filter((value) => value !== undefined);
  return manager.query(`SELECT ${COLUMNS} FROM "pets"${where} ORDER BY "id" LIMIT ?`, [...parameters, limit + 1]);
}

export async function selectPet(manager: EntityManager, petId: string): Promise<PetRow | undefined> {
  const rows: PetRow[] = await manager.query(`SELECT ${COLUMNS} FROM "pets" WHERE "id" = CAST(? AS INTEGER)`, [petId]);
  return rows[0];
}

export async function insertPet(manager: EntityManager, { name, categoryId, status }: Omit<PetRow, 'id'>): Promise<PetRow> {
  const sql = 'INSERT INTO "pets" ("name", "category_id", "status") VALUES (?, CAST(? AS INTEGER), ?) RETURNING "id"';
  const [row]: { id: number }[] = await manager.query(sql, [name, categoryId, status]);
  if (row === undefined) throw new Error('The database gave no identifier for a new pet.');
  return { id: row.id, name, categoryId, status };
}
