import type { EntityManager } from 'typeorm';
import { countPets } from '../categories/index.js';
import type { Precondition } from '../conditional/index.js';
import { ApiError } from '../errors/index.js';
import type { PetChange } from './pet.dto.js';
import { petNotFound } from './pet-not-found.js';
import { counted, type PetRow, toAnimal } from './pet-row.js';
import { deletePet, type LockedPet, lockPet, updatePet } from './pet-sql.js';

/**
 * Changes a pet as a JSON merge patch says (RFC 7396).
 * @param petId decimal digits
 * @returns the pet as it is then, and whether that is another than before
 * @throws (rejects) ApiError `pet_not_found`, `precondition_failed`, `pet_in_order` or `invalid_status_transition`
 */
export async function changePet(manager: EntityManager, petId: string, change: PetChange, precondition: Precondition): Promise<[PetRow, boolean]> {
  const before = await find(manager, petId, precondition);
  const { id, name, categoryId, status } = before;
  const after: PetRow = {
    id,
    name: change.name ?? name,
    categoryId: change.categoryId === undefined ? categoryId : String(change.categoryId),
    // `null` removes it.
    status: change.status === undefined ? status : change.status,
  };
  const hasMoved = after.status !== status;
  if (hasMoved) checkMove(before);
  const isCountedElsewhere = hasMoved || after.categoryId !== categoryId;
  if (!isCountedElsewhere && after.name === name) return [after, false];
  await updatePet(manager, after);
  if (isCountedElsewhere) await countPets(manager, [counted(before, -1), counted(after, 1)]);
  return [after, true];
}

/** @throws (rejects) ApiError `pet_not_found`, `precondition_failed` or `pet_in_order` */
export async function removePet(manager: EntityManager, petId: string, precondition: Precondition): Promise<void> {
  const pet = await find(manager, petId, precondition);
  if (pet.held === 1) throw new ApiError('pet_in_order', 'An open order holds the pet, so it can not be removed.');
  await deletePet(manager, petId);
  await countPets(manager, [counted(pet, -1)]);
}

async function find(manager: EntityManager, petId: string, precondition: Precondition): Promise<LockedPet> {
  const pet = await lockPet(manager, petId);
  if (pet === undefined) throw petNotFound(petId);
  precondition.check(JSON.stringify(toAnimal(pet)));
  return pet;
}

/** Every move is allowed but one from sold, and any while an order holds the pet. */
function checkMove({ held, status }: LockedPet): void {
  if (held === 1) throw new ApiError('pet_in_order', 'An open order holds the pet, so its status can not change.');
  if (status === 'sold') throw new ApiError('invalid_status_transition', 'The pet is sold, which is final.');
}
