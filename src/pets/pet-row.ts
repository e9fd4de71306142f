import type { CountChange } from '../categories/index.js';
import { int64Json } from '../validation/index.js';
import type { Animal, NewPet } from './pet.dto.js';
import type { PetStatus } from './pet-status.js';

/** A pet as the database answers it. */
export interface PetRow {
  readonly id: number;
  readonly name: string;
  /** Decimal digits. */
  readonly categoryId: string;
  readonly status: PetStatus | null;
}

export type NewRow = Omit<PetRow, 'id'>;

export function toRow({ name, categoryId, status }: NewPet): NewRow {
  return { name, categoryId: String(categoryId), status: status ?? null };
}

export function toAnimal({ id, name, categoryId, status }: PetRow): Animal {
  return { id, name, categoryId: int64Json(categoryId), ...(status === null ? {} : { status }) };
}

/** What a pet is to the counts of its category: one more, or one less. */
export function counted({ categoryId, status }: Pick<PetRow, 'categoryId' | 'status'>, by: 1 | -1): CountChange {
  return { categoryId, status: status ?? 'none', by };
}
