import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/index.js';
import { int64Json } from '../validation/index.js';
import type { ListPetsQuery } from './list-pets.query.js';
import type { Animal, NewPet } from './pet.dto.js';
import { PetEntity } from './pet.entity.js';
import { petNotFound } from './pet-not-found.js';
import { insertPet, type PetRow, selectPage, selectPet } from './pet-sql.js';

/** Keeps the catalogue. */
@Injectable()
export class PetsService {
  private added = 0;

  constructor(private readonly database: Database) {}

  /** How many pets this process has added; grows before anybody is told of a new one. */
  get additions(): number {
    return this.added;
  }

  /** A page of the catalogue; `nextAfter` is the identifier after which the next one begins, if there is one. */
  async list(query: ListPetsQuery): Promise<{ animals: Animal[]; nextAfter: number | undefined }> {
    const rows = await this.database.read((manager) => selectPage(manager, query));
    const animals = rows.slice(0, query.limit).map(toAnimal);
    return { animals, nextAfter: rows.length > query.limit ? animals.at(-1)?.id : undefined };
  }

  /**
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`
   */
  async get(petId: string): Promise<Animal> {
    const row = await this.database.read((manager) => selectPet(manager, petId));
    if (row === undefined) throw petNotFound(petId);
    return toAnimal(row);
  }

  async create(pet: NewPet): Promise<Animal> {
    try {
      return await this.database.write((manager) => this.createIn(manager, pet), { singleStatement: true });
    } finally {
      // Also where it failed: a commit whose outcome is unknown may have happened.
      this.added += 1;
    }
  }

  /** Adds a pet within a transaction of the caller's, for a catalogue that nobody has read yet. */
  async createIn(manager: EntityManager, { name, categoryId, status }: NewPet): Promise<Animal> {
    return toAnimal(await insertPet(manager, { name, categoryId: String(categoryId), status: status ?? null }));
  }

  /** Whether there is any pet, as a transaction of the caller's sees it. */
  existIn(manager: EntityManager): Promise<boolean> {
    return manager.exists(PetEntity);
  }
}

function toAnimal({ id, name, categoryId, status }: PetRow): Animal {
  return { id, name, categoryId: int64Json(categoryId), ...(status === null ? {} : { status }) };
}
