import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { applyCountDeltas, type PetCountChange } from '../categories/index.js';
import { forUpdate, lockUntilCommit, query } from '../database/index.js';
import type { ListPetsQuery } from './pet.dto.js';
import { PetEntity, type PetStatus } from './pet.entity.js';

/** A row of the table of pets. */
export interface PetRow {
  readonly id: number;
  readonly name: string;
  /** Decimal digits. */
  readonly categoryId: string;
  readonly status: PetStatus | null;
}

export type NewPetRow = Omit<PetRow, 'id'>;

/** The state of a pet as orders change it. */
export interface PetState {
  readonly status: PetStatus | null;
  /** Whether an open order reserves it. */
  readonly held: 0 | 1;
}

/** A pet that is locked until the transaction ends. */
export type LockedPet = PetRow & PetState;

/*
 * SQL instead of the query builder, which takes five times as long as the statement itself. The category is cast from and to
 * text, because SQLite's driver would round a number.
 */
const COLUMNS = `"id", "name", CAST("category_id" AS TEXT) AS "categoryId", "status"`;

/** Inserts pets with identifiers above all others. */
export const INSERT_PETS = 'INSERT INTO "pets" ("name", "category_id", "status")';

/**
 * All SQL of the catalogue. Writes also update the counts of categories, in the transaction. Identifiers of pets are decimal
 * digits.
 */
@Injectable()
export class PetsRepository {
  /** Pets in ascending order of `id`, one more than the limit if there are more. */
  page(manager: EntityManager, { limit, status, categoryId, ids, after }: ListPetsQuery): Promise<PetRow[]> {
    const idList = ids?.split(',') ?? [];
    const conditions = [
      ...(status === undefined ? [] : ['"status" = ?']),
      ...(categoryId === undefined ? [] : ['"category_id" = CAST(? AS BIGINT)']),
      ...(idList.length === 0 ? [] : [`"id" IN (${idList.map(() => 'CAST(? AS BIGINT)').join(', ')})`]),
      ...(after === undefined ? [] : ['"id" > CAST(? AS BIGINT)']),
    ];
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const parameters = [status, categoryId, ...idList, after].filter((value) => value !== undefined);
    return query(manager, `SELECT ${COLUMNS} FROM "pets"${where} ORDER BY "id" LIMIT ?`, [...parameters, limit + 1]);
  }

  find(manager: EntityManager, petIds: readonly string[]): Promise<PetRow[]> {
    const values = petIds.map(() => 'CAST(? AS BIGINT)').join(', ');
    return query(manager, `SELECT ${COLUMNS} FROM "pets" WHERE "id" IN (${values})`, petIds);
  }

  async lock(manager: EntityManager, petId: string): Promise<LockedPet | undefined> {
    const sql = `SELECT ${COLUMNS}, "held" FROM "pets" WHERE "id" = CAST(? AS BIGINT)${forUpdate(manager, 'pets')}`;
    const [row] = await query<LockedPet>(manager, sql, [petId]);
    return row;
  }

  exists(manager: EntityManager): Promise<boolean> {
    return manager.exists(PetEntity);
  }

  /**
   * Inserts pets. Identifiers ascend in the given order and become visible in ascending order over all instances, so that a
   * client that pages through the list misses none.
   */
  async insert(manager: EntityManager, pets: readonly NewPetRow[]): Promise<PetRow[]> {
    const values = pets.map(() => '(?, CAST(? AS BIGINT), ?)').join(', ');
    const sql = `${INSERT_PETS} VALUES ${values} RETURNING "id"`;
    const parameters = pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status]);
    // Pipelined, because other transactions wait for the lock; they run one after the other.
    const statements = [
      lockUntilCommit(manager, 'pets'),
      query<{ id: number }>(manager, sql, parameters),
      count(manager, pets, []),
    ] as const;
    // A ROLLBACK after a failure must come after all of them.
    await Promise.allSettled(statements);
    const [, rows] = await Promise.all(statements);
    // RETURNING has no order.
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other);
    return pets.map((pet, index) => ({ ...pet, id: idAt(ids, index) }));
  }

  async update(manager: EntityManager, before: PetRow, after: PetRow): Promise<void> {
    const { id, name, categoryId, status } = after;
    const sql = 'UPDATE "pets" SET "name" = ?, "category_id" = CAST(? AS BIGINT), "status" = ? WHERE "id" = ?';
    await query(manager, sql, [name, categoryId, status, id]);
    if (categoryId !== before.categoryId || status !== before.status) await count(manager, [after], [before]);
  }

  /**
   * Moves a pet from one state to another. One statement decides, so after waiting for another transaction it sees the result
   * of that one.
   * @returns the pet in its second state; undefined if it was not in the first
   */
  async move(manager: EntityManager, petId: string, from: PetState, to: PetState): Promise<PetRow | undefined> {
    const sql = `UPDATE "pets" SET "status" = ?, "held" = ? WHERE "id" = CAST(? AS BIGINT) AND "status" = ? AND "held" = ?
      RETURNING ${COLUMNS}`;
    const parameters = [to.status, to.held, petId, from.status, from.held];
    const [moved] = await query<PetRow>(manager, sql, parameters);
    if (moved === undefined) return undefined;
    await count(manager, [{ ...moved, ...to }], [{ ...moved, ...from }]);
    return moved;
  }

  async delete(manager: EntityManager, pet: PetRow): Promise<void> {
    await query(manager, 'DELETE FROM "pets" WHERE "id" = ?', [pet.id]);
    await count(manager, [], [pet]);
  }
}

type Counted = Pick<PetRow, 'categoryId' | 'status'>;

/** Updates the counts of categories for added and removed pets. */
function count(manager: EntityManager, added: readonly Counted[], removed: readonly Counted[]): Promise<void> {
  const changes = (pets: readonly Counted[], by: 1 | -1) =>
    pets.map(({ categoryId, status }): PetCountChange => ({ categoryId, status: status ?? 'none', by }));
  return applyCountDeltas(manager, [...changes(removed, -1), ...changes(added, 1)]);
}

function idAt(ids: readonly number[], index: number): number {
  const id = ids[index];
  if (id === undefined) throw new Error('The database returned no identifier for a new pet.');
  return id;
}
