import type { EntityManager } from 'typeorm';
import { countPets } from '../categories/index.js';
import { query } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import { petNotFound } from './pet-not-found.js';
import { counted, type PetRow } from './pet-row.js';
import { selectPets } from './pet-sql.js';
import type { PetStatus } from './pet-status.js';

interface State {
  readonly status: PetStatus;
  readonly held: 0 | 1;
}

const AVAILABLE: State = { status: 'available', held: 0 };
const HELD: State = { status: 'pending', held: 1 };
const SOLD: State = { status: 'sold', held: 0 };

const HOLDS = {
  hold: { from: AVAILABLE, to: HELD },
  release: { from: HELD, to: AVAILABLE },
  sell: { from: HELD, to: SOLD },
} as const;

/** What an order does to the pet that it is about. */
export type Hold = keyof typeof HOLDS;

/**
 * @param petId decimal digits
 * @throws (rejects) ApiError `pet_not_found`; `pet_not_available` where the pet to hold is not; Error where the pet to
 * release or to sell is not held
 */
export async function moveHeld(manager: EntityManager, petId: string, hold: Hold): Promise<void> {
  const { from, to } = HOLDS[hold];
  // One statement decides: who waited for another transaction that changed the pet finds what that one left.
  const sql = `UPDATE "pets" SET "status" = ?, "held" = ? WHERE "id" = CAST(? AS BIGINT) AND "status" = ? AND "held" = ?
    RETURNING CAST("category_id" AS TEXT) AS "categoryId"`;
  const [moved] = await query<Pick<PetRow, 'categoryId'>>(manager, sql, [to.status, to.held, petId, from.status, from.held]);
  if (moved === undefined) {
    const [pet] = await selectPets(manager, [petId]);
    if (pet === undefined) throw petNotFound(petId);
    if (hold !== 'hold') throw new Error(`No order holds the pet ${petId}.`);
    throw new ApiError('pet_not_available', `The pet ${petId} is not available.`);
  }
  await countPets(manager, [counted({ ...moved, ...from }, -1), counted({ ...moved, ...to }, 1)]);
}
