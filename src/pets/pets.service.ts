import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/index.js';
import { int64Json } from '../validation/index.js';
import type { ListPetsQuery } from './list-pets.query.js';
import type { Animal, NewPet } from './pet.dto.js';
import { PetCache, type PetPage } from './pet-cache.js';
import { PetEntity } from './pet.entity.js';
import { petNotFound } from './pet-not-found.js';
import { insertPet, type PetRow, selectPage, selectPet } from './pet-sql.js';

/** Keeps the catalogue. */
@Injectable()
export class PetsService {
  constructor(
    private readonly database: Database,
    private readonly cache: PetCache,
  ) {}

  /** A page of the catalogue. */
  list(query: ListPetsQuery): PetPage | Promise<PetPage> {
    const { limit, status = '', after = '' } = query;
    return this.cache.page(`${limit} ${status} ${after}`, async () => {
      const rows = await this.database.read((manager) => selectPage(manager, query));
      const animals = rows.slice(0, limit).map(toAnimal);
      return { json: JSON.stringify(animals), nextAfter: rows.length > limit ? animals.at(-1)?.id : undefined };
    });
  }

  /**
   * The JSON of a pet.
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`
   */
  get(petId: string): string | Promise<string> {
    return this.cache.pet(petId, async () => {
      const row = await this.database.read((manager) => selectPet(manager, petId));
      if (row === undefined) throw petNotFound(petId);
      return JSON.stringify(toAnimal(row));
    });
  }

  /** Adds a pet. */
  async create(pet: NewPet): Promise<Animal> {
    try {
      return await this.database.write((manager) => this.createIn(manager, pet));
    } finally {
      this.cache.petAdded();
    }
  }

  /** Adds a pet within a transaction of the caller's, who makes sure that no page was read before. */
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
