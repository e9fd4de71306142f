import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { Database } from '../database/index.js';
import { int64Json } from '../validation/index.js';
import type { ListPetsQuery } from './list-pets.query.js';
import type { Animal, NewPet } from './pet.dto.js';
import { PetEntity } from './pet.entity.js';
import { petNotFound } from './pet-not-found.js';
import type { PetStatus } from './pet-status.js';

/** A pet as the database answers it; PostgreSQL writes int8 as text. */
interface PetRow {
  readonly id: number | string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: PetStatus | null;
}

/** A page of the list. */
export interface PetPage {
  readonly animals: Animal[];
  /** Identifier after which the next page begins; absent on the last page. */
  readonly nextAfter?: number;
}

/** Keeps the catalogue. */
@Injectable()
export class PetsService {
  constructor(private readonly database: Database) {}

  async list({ limit, status, after }: ListPetsQuery): Promise<PetPage> {
    const rows = await this.database.read((manager) => {
      const query = select(manager).orderBy('pet.id').limit(limit + 1);
      if (status !== undefined) query.andWhere('pet.status = :status', { status });
      if (after !== undefined) query.andWhere('pet.id > :after', { after });
      return query.getRawMany<PetRow>();
    });
    const animals = rows.slice(0, limit).map(toAnimal);
    const last = animals.at(-1);
    return rows.length > limit && last !== undefined ? { animals, nextAfter: last.id } : { animals };
  }

  /** @throws ApiError `pet_not_found` */
  async get(petId: string): Promise<Animal> {
    const row = await this.database.read((manager) => select(manager).where('pet.id = :petId', { petId }).getRawOne<PetRow>());
    if (row === undefined) throw petNotFound(petId);
    return toAnimal(row);
  }

  create(pet: NewPet): Promise<Animal> {
    return this.database.write((manager) => this.createIn(manager, pet));
  }

  /** Adds a pet within a transaction of the caller's. */
  async createIn(manager: EntityManager, { name, categoryId, status }: NewPet): Promise<Animal> {
    const row = { name, categoryId: String(categoryId), status: status ?? null };
    const { identifiers } = await manager.insert(PetEntity, row);
    return toAnimal({ ...row, id: identifiers[0]?.['id'] as number });
  }

  /** Whether there is any pet, as a transaction of the caller's sees it. */
  existIn(manager: EntityManager): Promise<boolean> {
    return manager.exists(PetEntity);
  }
}

/** The category as text: as a number the driver for SQLite would round it. */
function select(manager: EntityManager): SelectQueryBuilder<PetEntity> {
  return manager
    .createQueryBuilder(PetEntity, 'pet')
    .select('pet.id', 'id')
    .addSelect('pet.name', 'name')
    .addSelect('CAST(pet.categoryId AS TEXT)', 'categoryId')
    .addSelect('pet.status', 'status');
}

function toAnimal({ id, name, categoryId, status }: PetRow): Animal {
  return {
    id: Number(id),
    name,
    categoryId: int64Json(categoryId),
    ...(status === null ? {} : { status }),
  };
}
