import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { EntityManager } from 'typeorm';
import { type Change, Database, isCanonicalId, outsideTransactions } from '../kernel.js';
import { compare, forUpdate, indexRange, isLockedUntilCommit, isPostgres, query, type RowLock } from '../kernel.js';
import { CatalogueVersion } from './cache/catalogue-version.js';
import type { ListPetsQuery } from './pet.dto.js';
import type { PetStatus } from './pet.entity.js';

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
  readonly reserved: 0 | 1;
}

export interface PetEvents {
  'pet.created': Change<undefined, PetRow>;
  /** Fields of a pet, or its status by an order. */
  'pet.changed': Change<PetRow, PetRow>;
  /** Raised before the row is deleted, so that listeners can delete rows that reference it. */
  'pet.removed': Change<PetRow, undefined>;
}

declare module '../kernel.js' {
  interface EventMap extends PetEvents {}
}

export type LockedPet = PetRow & PetState;

/*
 * SQL instead of the query builder, which takes five times as long as the statement itself. The category is cast from and to
 * text, because SQLite's driver would round a number.
 */
const COLUMNS = `"id", "name", CAST("category_id" AS TEXT) AS "categoryId", "status"`;
const INT64 = 'CAST(? AS BIGINT)';

/** All SQL of the catalogue. Writes make cached responses outdated. Identifiers of pets are decimal digits. */
@Injectable()
export class PetsRepository {
  private readonly loader = new DataLoader((petIds: readonly string[]) => this.loadAll(petIds), {
    cache: false,
    maxBatchSize: 64,
  });

  constructor(
    private readonly database: Database,
    private readonly version: CatalogueVersion,
  ) {}

  /** Reads what is committed, with one statement for all pets that are requested in the same turn of the event loop. */
  async load(petId: string): Promise<PetRow | undefined> {
    // PostgreSQL would fail the statement, and with it the other requests.
    return isCanonicalId(petId) ? this.loader.load(petId) : undefined;
  }

  private async loadAll(petIds: readonly string[]): Promise<(PetRow | undefined)[]> {
    // The first request may be what is left of a transaction that was rolled back.
    const rows = await outsideTransactions(() => this.find(this.database.manager, petIds));
    const byId = new Map(rows.map((row) => [String(row.id), row]));
    return petIds.map((petId) => byId.get(petId));
  }

  /** Pets in ascending order of `id`, one more than the limit if there are more. */
  page(manager: EntityManager, { limit, status, categoryId, ids, after }: ListPetsQuery): Promise<PetRow[]> {
    const filters = [
      ...(categoryId === undefined ? [] : [{ column: '"category_id"', value: INT64, parameter: categoryId }]),
      ...(status === undefined ? [] : [{ column: '"status"', value: '?', parameter: status }]),
    ];
    const start = after === undefined ? [] : [{ column: '"id"', value: INT64, parameter: after }];
    const idList = ids?.split(',') ?? [];
    const isIn = { sql: `"id" IN (${idList.map(() => INT64).join(', ')})`, parameters: idList };
    // Rows with given identifiers are few, so their own index finds them.
    const fixed = isPostgres(manager) && idList.length === 0 ? filters : [];
    const conditions = [
      ...(fixed === filters ? [] : filters.map((filter) => compare([filter], '='))),
      ...(idList.length === 0 ? [] : [isIn]),
      ...indexRange(fixed, start, 'ASC'),
    ];
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
    const order = [...fixed.map(({ column }) => column), '"id"'].join(', ');
    const parameters = [...conditions.flatMap((condition) => condition.parameters), limit + 1];
    return query(manager, `SELECT ${COLUMNS} FROM "pets"${where} ORDER BY ${order} LIMIT ?`, parameters);
  }

  find(manager: EntityManager, petIds: readonly string[]): Promise<PetRow[]> {
    const values = petIds.map(() => INT64).join(', ');
    return query(manager, `SELECT ${COLUMNS} FROM "pets" WHERE "id" IN (${values})`, petIds);
  }

  async lock(manager: EntityManager, petId: string, lock: RowLock): Promise<LockedPet | undefined> {
    const end = forUpdate(manager, 'pets', lock);
    const sql = `SELECT ${COLUMNS}, "held" AS "reserved" FROM "pets" WHERE "id" = CAST(? AS BIGINT)${end}`;
    return (await query<LockedPet>(manager, sql, [petId]))[0];
  }

  /**
   * Inserts pets. Identifiers ascend in the given order and become visible in ascending order over all instances, so that a
   * client that pages through the list misses none.
   */
  async insert(manager: EntityManager, pets: readonly NewPetRow[]): Promise<PetRow[]> {
    const values = pets.map(() => '(?, CAST(? AS BIGINT), ?)').join(', ');
    // One statement, which needs no transaction: the lock is taken before the first identifier.
    const sql = `INSERT INTO "pets" ("name", "category_id", "status")
      SELECT * FROM (VALUES ${values}) AS "new" WHERE ${isLockedUntilCommit(manager, 'pets')} RETURNING "id"`;
    const parameters = pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status]);
    let rows: { id: number }[];
    try {
      rows = await query(manager, sql, parameters);
    } finally {
      // A statement that failed may have been executed.
      await this.version.advance('additions');
    }
    if (rows.length < pets.length) throw new Error('The database returned no identifier for a new pet.');
    // RETURNING has no order.
    rows.sort((one, other) => one.id - other.id);
    return rows.map((row, index) => ({ ...row, ...(pets[index] as NewPetRow) }));
  }

  async update(manager: EntityManager, { id, name, categoryId, status }: PetRow): Promise<void> {
    const sql = 'UPDATE "pets" SET "name" = ?, "category_id" = CAST(? AS BIGINT), "status" = ? WHERE "id" = ?';
    await query(manager, sql, [name, categoryId, status, id]);
    await this.version.advance('changes');
  }

  /**
   * Moves a pet from one state to another by one statement, which sees the result of a transaction that it waited for.
   * @returns the pet in its second state; undefined if it was not in the first
   */
  async move(manager: EntityManager, petId: string, from: PetState, to: PetState): Promise<PetRow | undefined> {
    const sql = `UPDATE "pets" SET "status" = ?, "held" = ? WHERE "id" = CAST(? AS BIGINT) AND "status" = ? AND "held" = ?
      RETURNING ${COLUMNS}`;
    const parameters = [to.status, to.reserved, petId, from.status, from.reserved];
    const [moved] = await query<PetRow>(manager, sql, parameters);
    if (moved !== undefined) await this.version.advance('changes');
    return moved;
  }

  /** Ends the reservation of a pet whose status was changed past the service. It keeps that. */
  async clearReservation(manager: EntityManager, petId: string): Promise<void> {
    await query(manager, 'UPDATE "pets" SET "held" = 0 WHERE "id" = CAST(? AS BIGINT) AND "held" = 1', [petId]);
  }

  async delete(manager: EntityManager, pet: PetRow): Promise<void> {
    await query(manager, 'DELETE FROM "pets" WHERE "id" = ?', [pet.id]);
    await this.version.advance('changes');
  }
}
