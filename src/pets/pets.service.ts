import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type Precondition,
  int64Json,
  cutPage,
  Database,
  isForeignKeyViolation,
  type Page,
  Events,
  type RowLock,
  orFail,
} from '../kernel.js';
import { CatalogueVersion } from './cache/catalogue-version.js';
import { PetBatchLoader } from './cache/pet-batch-loader.js';
import { PetInsertBatcher } from './cache/pet-insert-batcher.js';
import type { Animal, ListPetsQuery, NewPet, PetChange } from './pet.dto.js';
import { type LockedPet, type NewPetRow, type PetRow, PetsRepository, type PetState } from './pets.repository.js';
import { petNotFound, petInOrder, petReferredTo, petNotAvailable, petNotReserved, petSold } from './pet-errors.js';

const AVAILABLE: PetState = { status: 'available', held: 0 };
const RESERVED: PetState = { status: 'pending', held: 1 };
const SOLD: PetState = { status: 'sold', held: 0 };

/** The catalogue. Identifiers of pets are decimal digits. */
@Injectable()
export class PetsService {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
    private readonly inserts: PetInsertBatcher,
    private readonly loader: PetBatchLoader,
    private readonly events: Events,
    private readonly version: CatalogueVersion,
  ) {}

  async list(query: ListPetsQuery): Promise<Page<Animal>> {
    const rows = await this.pets.page(this.database.manager, query);
    const { items, nextAfter } = cutPage(rows, query.limit);
    return { items: items.map(toAnimal), nextAfter };
  }

  /**
   * In a transaction, it also prevents that the pet is removed before the transaction ends.
   * @throws (rejects) DomainError `pet_not_found`
   */
  async get(petId: string): Promise<Animal> {
    // The loader reads for others too, who must not see what a write has not committed yet.
    const row = this.database.isWriting
      ? await this.database.write((manager) => this.pets.lock(manager, petId, 'KEY SHARE'))
      : await this.loader.read(petId);
    return toAnimal(orFail(row, petNotFound, petId));
  }

  async create({ name, categoryId, status }: NewPet): Promise<Animal> {
    const pet: NewPetRow = { name, categoryId: String(categoryId), status: status ?? null };
    // A listener refuses one pet, not those that are inserted with it.
    const isAlone = this.database.isWriting || this.events.canBeRefused('pet.created');
    return toAnimal(isAlone ? await this.insert(pet) : await this.inserts.add(pet));
  }

  /**
   * Applies a JSON merge patch to a pet (RFC 7396).
   * @throws (rejects) DomainError `pet_not_found`, `precondition_failed`, `pet_in_order` or `invalid_status_transition`
   */
  change(petId: string, { name, categoryId, status }: PetChange, precondition: Precondition): Promise<Animal> {
    return this.database.write(async (manager) => {
      const { held, ...before } = await this.lock(manager, petId, 'NO KEY UPDATE', precondition);
      const after: PetRow = {
        ...before,
        name: name ?? before.name,
        categoryId: categoryId === undefined ? before.categoryId : String(categoryId),
        // `null` removes it.
        status: status === undefined ? before.status : status,
      };
      if (after.status !== before.status) {
        if (held === 1) throw petInOrder('its status cannot change');
        if (before.status === 'sold') throw petSold();
      }
      if (isEqual(before, after)) return toAnimal(after);
      await this.pets.update(manager, after);
      await this.events.raise(manager, 'pet.changed', () => ({ before, after }));
      return toAnimal(after);
    });
  }

  /**
   * Removes a pet. Its identifier is never reused.
   * @throws (rejects) DomainError `pet_not_found`, `precondition_failed`, `pet_in_order`, or `conflict` if a table of an
   * extension refers to it
   */
  async remove(petId: string, precondition: Precondition): Promise<void> {
    try {
      await this.database.write(async (manager) => {
        const { held, ...before } = await this.lock(manager, petId, 'UPDATE', precondition);
        if (held === 1) throw petInOrder('it cannot be removed');
        await this.events.raise(manager, 'pet.removed', () => ({ before, after: undefined }));
        await this.pets.delete(manager, before);
      });
    } catch (cause) {
      if (!isForeignKeyViolation(cause)) throw cause;
      throw petReferredTo(cause);
    }
  }

  /**
   * Reserves an available pet for an order: it becomes pending, and its status cannot change and it cannot be removed until it
   * is released or sold.
   * @throws (rejects) DomainError `pet_not_found` or `pet_not_available`
   */
  reserve(petId: string): Promise<void> {
    return this.database.write(async (manager) => {
      if (await this.move(manager, petId, AVAILABLE, RESERVED)) return;
      const [row] = await this.pets.find(manager, [petId]);
      orFail(row, petNotFound, petId);
      throw petNotAvailable(petId);
    });
  }

  /** Makes a reserved pet available again. Leaves one that is not reserved, or that is gone, as it is. */
  release(petId: string): Promise<void> {
    return this.database.write(async (manager) => {
      if (!(await this.move(manager, petId, RESERVED, AVAILABLE))) await this.pets.clearHold(manager, petId);
    });
  }

  /**
   * Sells a reserved pet, for good.
   * @throws (rejects) DomainError `invalid_status_transition` if it is not reserved
   */
  sell(petId: string): Promise<void> {
    return this.database.write(async (manager) => {
      if (!(await this.move(manager, petId, RESERVED, SOLD))) throw petNotReserved(petId);
    });
  }

  /** Makes cached responses outdated, on all instances. Call it in a transaction that writes pets itself, or after it. */
  invalidateCaches(): Promise<void> {
    return this.version.advance('changes');
  }

  private insert(pet: NewPetRow): Promise<PetRow> {
    return this.database.write(async (manager) => {
      const [row] = (await this.pets.insert(manager, [pet])) as [PetRow];
      await this.events.raise(manager, 'pet.created', () => ({ before: undefined, after: row }));
      return row;
    });
  }

  /** @returns whether the pet was in the state to move from */
  private async move(manager: EntityManager, petId: string, from: PetState, to: PetState): Promise<boolean> {
    const after = await this.pets.move(manager, petId, from, to);
    if (after === undefined) return false;
    await this.events.raise(manager, 'pet.changed', () => ({ before: { ...after, status: from.status }, after }));
    return true;
  }

  private async lock(
    manager: EntityManager,
    petId: string,
    lock: RowLock,
    precondition: Precondition,
  ): Promise<LockedPet> {
    const pet = orFail(await this.pets.lock(manager, petId, lock), petNotFound, petId);
    precondition.check(JSON.stringify(toAnimal(pet)));
    return pet;
  }
}

function isEqual(one: PetRow, other: PetRow): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

function toAnimal({ id, name, categoryId, status }: PetRow): Animal {
  return { id, name, categoryId: int64Json(categoryId), ...(status === null ? {} : { status }) };
}
