import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { cutPage, Database, Events, isForeignKeyViolation, type Page, type RowLock } from '../kernel.js';
import { DomainError, int64Json, notFound, orFail, type Precondition } from '../kernel.js';
import { CatalogueVersion } from './cache/catalogue-version.js';
import { PetInsertBatcher } from './cache/pet-insert-batcher.js';
import { Animal, type ListPetsQuery, type NewPet, type PetChange } from './pet.dto.js';
import { type LockedPet, type PetRow, PetsRepository, type PetState } from './pets.repository.js';

const AVAILABLE: PetState = { status: 'available', reserved: 0 };
const RESERVED: PetState = { status: 'pending', reserved: 1 };
const SOLD: PetState = { status: 'sold', reserved: 0 };

/** The catalogue. Identifiers of pets are decimal digits. */
@Injectable()
export class PetsService {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
    private readonly inserts: PetInsertBatcher,
    private readonly events: Events,
    private readonly version: CatalogueVersion,
  ) {
    events.declare({
      types: {
        'pet.created': 'A pet was created.',
        'pet.changed': 'Fields of a pet changed, or its status by an order.',
        'pet.removed': 'A pet was removed. `data` is its last state.',
      },
      scope: 'pets:read',
      subject: ({ id }) => `pet:${id}`,
      data: toAnimal,
      schema: Animal,
      example: { subject: 'pet:7', data: { id: 7, name: 'Bella', categoryId: 3, status: 'available' } },
    });
  }

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
    const row = this.database.isWriting
      ? await this.database.write((manager) => this.pets.lock(manager, petId, 'KEY SHARE'))
      : await this.pets.load(petId);
    return toAnimal(orFail(row, petNotFound, petId));
  }

  async create({ name, categoryId, status }: NewPet): Promise<Animal> {
    return toAnimal(await this.inserts.add({ name, categoryId: String(categoryId), status: status ?? null }));
  }

  /**
   * Applies a JSON merge patch to a pet (RFC 7396).
   * @throws (rejects) DomainError `pet_not_found`, `precondition_failed`, `pet_in_order` or `invalid_status_transition`
   */
  change(petId: string, { name, categoryId, status }: PetChange, precondition: Precondition): Promise<Animal> {
    return this.database.write(async (manager) => {
      const { reserved, ...before } = await this.lock(manager, petId, 'NO KEY UPDATE', precondition);
      const after: PetRow = {
        ...before,
        name: name ?? before.name,
        categoryId: categoryId === undefined ? before.categoryId : String(categoryId),
        // `null` removes it.
        status: status === undefined ? before.status : status,
      };
      if (after.status !== before.status) {
        if (reserved === 1) throw petInOrder('its status cannot change');
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
        const { reserved, ...before } = await this.lock(manager, petId, 'UPDATE', precondition);
        if (reserved === 1) throw petInOrder('it cannot be removed');
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
      if (!(await this.move(manager, petId, RESERVED, AVAILABLE))) await this.pets.clearReservation(manager, petId);
    });
  }

  /**
   * Sells a reserved pet, which is final.
   * @throws (rejects) DomainError `invalid_status_transition` if it is not reserved
   */
  sell(petId: string): Promise<void> {
    return this.database.write(async (manager) => {
      if (!(await this.move(manager, petId, RESERVED, SOLD)))
        throw new DomainError(
          'invalid_status_transition',
          `The pet ${petId} is no longer reserved, so it cannot be sold.`,
        );
    });
  }

  /** Makes cached responses outdated, on all instances. Call it in a transaction that writes pets itself, or after it. */
  invalidateCaches(): Promise<void> {
    return this.version.advance('changes');
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

export function petNotFound(petId?: string): DomainError {
  return notFound('pet_not_found', 'There is no pet', petId);
}

/** @param consequence such as `it cannot be removed` */
export function petInOrder(consequence: string): DomainError {
  return new DomainError('pet_in_order', `An open order reserves the pet, so ${consequence}.`);
}

/** @param cause the foreign key of an extension's table */
export function petReferredTo(cause?: unknown): DomainError {
  return new DomainError('conflict', 'Other records refer to the pet, so it cannot be removed.', { cause });
}

export function petNotAvailable(petId: string): DomainError {
  return new DomainError('pet_not_available', `The pet ${petId} is not available.`);
}

export function petSold(): DomainError {
  return new DomainError('invalid_status_transition', 'The pet is sold, which is final.');
}

function isEqual(one: PetRow, other: PetRow): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

function toAnimal({ id, name, categoryId, status }: PetRow): Animal {
  return { id, name, categoryId: int64Json(categoryId), ...(status === null ? {} : { status }) };
}
