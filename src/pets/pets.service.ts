import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Precondition } from '../conditional/index.js';
import { cutPage, Database } from '../database/index.js';
import { CatalogueVersion } from './catalogue-version.js';
import type { ListPetsQuery } from './list-pets.query.js';
import type { Animal, NewPet, PetChange } from './pet.dto.js';
import { PetEntity } from './pet.entity.js';
import { changePet, removePet } from './pet-changes.js';
import { PetCreation } from './pet-creation.js';
import { petNotFound } from './pet-not-found.js';
import { type Hold, moveHeld } from './pet-holds.js';
import { PetReading } from './pet-reading.js';
import { type PetRow, toAnimal, toRow } from './pet-row.js';
import { insertPets, selectPage, selectPets } from './pet-sql.js';

/** Keeps the catalogue. */
@Injectable()
export class PetsService {
  constructor(
    private readonly database: Database,
    private readonly creation: PetCreation,
    private readonly reading: PetReading,
    private readonly version: CatalogueVersion,
  ) {}

  /** A page of the catalogue; `nextAfter` is the identifier after which the next one begins, if there is one. */
  async list(query: ListPetsQuery): Promise<{ animals: Animal[]; nextAfter: number | undefined }> {
    const rows = await this.database.read((manager) => selectPage(manager, query));
    const { page, nextAfter } = cutPage(rows, query.limit);
    return { animals: page.map(toAnimal), nextAfter };
  }

  /**
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`
   */
  async get(petId: string): Promise<Animal> {
    return toKnownAnimal(petId, await this.reading.read(petId));
  }

  /** The same, as a transaction of the caller's sees it. */
  async getIn(manager: EntityManager, petId: string): Promise<Animal> {
    const [row] = await selectPets(manager, [petId]);
    return toKnownAnimal(petId, row);
  }

  async create(pet: NewPet): Promise<Animal> {
    return toAnimal(await this.creation.add(toRow(pet)));
  }

  /** Adds a pet within a transaction of the caller's. */
  async createIn(manager: EntityManager, pet: NewPet): Promise<Animal> {
    this.version.add();
    const [row] = await insertPets(manager, [toRow(pet)]);
    return toAnimal(row as PetRow);
  }

  /**
   * Changes a pet as a JSON merge patch says.
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`, `precondition_failed`, `pet_in_order` or `invalid_status_transition`
   */
  change(petId: string, change: PetChange, precondition: Precondition): Promise<Animal> {
    return this.database.write(async (manager) => {
      const [pet, isAnother] = await changePet(manager, petId, change, precondition);
      if (isAnother) this.version.change();
      return toAnimal(pet);
    });
  }

  /**
   * Removes a pet; no other will ever have its identifier.
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`, `precondition_failed` or `pet_in_order`
   */
  remove(petId: string, precondition: Precondition): Promise<void> {
    return this.database.write(async (manager) => {
      await removePet(manager, petId, precondition);
      this.version.change();
    });
  }

  /**
   * Lets an open order hold an available pet, within a transaction of the caller's: it becomes pending, and neither its
   * status can be changed nor the pet be removed until it is released or sold.
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found` or `pet_not_available`
   */
  holdIn(manager: EntityManager, petId: string): Promise<void> {
    return this.move(manager, petId, 'hold');
  }

  /** Makes a pet that an order held available again, within a transaction of the caller's. */
  releaseIn(manager: EntityManager, petId: string): Promise<void> {
    return this.move(manager, petId, 'release');
  }

  /** Makes a pet that an order held sold, for good, within a transaction of the caller's. */
  sellIn(manager: EntityManager, petId: string): Promise<void> {
    return this.move(manager, petId, 'sell');
  }

  /** Whether there is any pet, as a transaction of the caller's sees it. */
  existIn(manager: EntityManager): Promise<boolean> {
    return manager.exists(PetEntity);
  }

  private async move(manager: EntityManager, petId: string, hold: Hold): Promise<void> {
    await moveHeld(manager, petId, hold);
    this.version.change();
  }
}

function toKnownAnimal(petId: string, row: PetRow | undefined): Animal {
  if (row === undefined) throw petNotFound(petId);
  return toAnimal(row);
}
