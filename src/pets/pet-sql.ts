import type { EntityManager } from 'typeorm';
import { countPets } from '../categories/index.js';
import { forUpdate, insert, lockUntilCommit, query } from '../database/index.js';
import type { ListPetsQuery } from './list-pets.query.js';
import { counted, type NewRow, type PetRow } from './pet-row.js';

/** A pet that nobody else can change until the transaction ends. */
export interface LockedPet extends PetRow {
  /** Whether an open order holds it. */
  readonly held: 0 | 1;
}

/*
 * SQL rather than the query builder, which takes five times as long as the statement itself to build it.
 * The category goes through text in both directions: as a number the driver for SQLite would round it.
 */
const COLUMNS = `"id", "name", CAST("category_id" AS TEXT) AS "categoryId", "status"`;

/** Pets in ascending order of their identifiers, one more than the limit where there are more. */
export function selectPage(manager: EntityManager, { limit, status, after }: ListPetsQuery): Promise<PetRow[]> {
  const conditions = [...(status === undefined ? [] : ['"status" = ?']), ...(after === undefined ? [] : ['"id" > CAST(? AS BIGINT)'])];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const parameters = [status, after].filter((value) => value !== undefined);
  return query(manager, `SELECT ${COLUMNS} FROM "pets"${where} ORDER BY "id" LIMIT ?`, [...parameters, limit + 1]);
}

/** @param petIds decimal digits */
export function selectPets(manager: EntityManager, petIds: readonly string[]): Promise<PetRow[]> {
  const values = petIds.map(() => 'CAST(? AS BIGINT)').join(', ');
  return query(manager, `SELECT ${COLUMNS} FROM "pets" WHERE "id" IN (${values})`, petIds);
}

/**
 * Adds pets; identifiers ascend in the order given, and become visible in ascending order over all instances, so that
 * who has read up to one misses none below it.
 */
export async function insertPets(manager: EntityManager, pets: readonly NewRow[]): Promise<PetRow[]> {
  const values = pets.map(() => '(?, CAST(? AS BIGINT), ?)').join(', ');
  const sql = `INSERT INTO "pets" ("name", "category_id", "status") VALUES ${values}`;
  // Sent together, as others wait for the lock meanwhile; each is done after the one before it.
  const statements = [
    lockUntilCommit(manager, 'pets'),
    insert(manager, sql, pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status])),
    countPets(manager, pets.map((pet) => counted(pet, 1))),
  ] as const;
  // What follows a failure, such as a ROLLBACK, comes after all of them.
  await Promise.allSettled(statements);
  const [, ids] = await Promise.all(statements);
  return pets.map((pet, index) => ({ ...pet, id: idAt(ids, index) }));
}

/** @param petId decimal digits */
export async function lockPet(manager: EntityManager, petId: string): Promise<LockedPet | undefined> {
  const sql = `SELECT ${COLUMNS}, "held" FROM "pets" WHERE "id" = CAST(? AS BIGINT)${forUpdate(manager, 'pets')}`;
  const [row] = await query<LockedPet>(manager, sql, [petId]);
  return row;
}

export async function updatePet(manager: EntityManager, { id, name, categoryId, status }: PetRow): Promise<void> {
  await query(manager, 'UPDATE "pets" SET "name" = ?, "category_id" = CAST(? AS BIGINT), "status" = ? WHERE "id" = ?', [name, categoryId, status, id]);
}

/** @param petId decimal digits */
export async function deletePet(manager: EntityManager, petId: string): Promise<void> {
  await query(manager, 'DELETE FROM "pets" WHERE "id" = CAST(? AS BIGINT)', [petId]);
}

function idAt(ids: readonly number[], index: number): number {
  const id = ids[index];
  if (id === undefined) throw new Error('The database gave no identifier for a new pet.');
  return id;
}
