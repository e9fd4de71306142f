import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ListPetsQuery } from './list-pets.query.js';
import { PetsService } from './pets.service.js';

/** Most characters that are kept of pages, and of single pets; two bytes each at worst. */
const MAX_CHARACTERS = 8_000_000;
/** Bounds how long a change that another process makes to the database may stay unseen, in milliseconds. */
const MAX_AGE_MS = 1_000;

/** A page of the list as it goes over the wire. */
export interface PetPage {
  /** JSON array of animals. */
  readonly json: string;
  /** Identifier after which the next page begins; absent on the last page. */
  readonly nextAfter: number | undefined;
  /** How many pets this process had added before the page was read. */
  readonly additions: number;
}

/**
 * The catalogue as JSON, kept for a while. Coherent with all writes of this process: whoever is told of a write finds
 * it in the very next answer.
 */
@Injectable()
export class PetAnswers {
  private readonly pages = new LRUCache<string, PetPage>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ json }) => json.length,
    ttl: MAX_AGE_MS,
  });
  private readonly animals = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (json) => json.length,
    ttl: MAX_AGE_MS,
  });

  constructor(private readonly pets: PetsService) {}

  page(query: ListPetsQuery): PetPage | Promise<PetPage> {
    const { limit, status = '', after = '' } = query;
    const name = `${limit} ${status} ${after}`;
    const kept = this.pages.get(name);
    // A new pet has the highest identifier, so it comes in on a last page or after it.
    if (kept !== undefined && (kept.nextAfter !== undefined || kept.additions === this.pets.additions)) return kept;
    return this.readPage(name, query);
  }

  /**
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`
   */
  animal(petId: string): string | Promise<string> {
    return this.animals.get(petId) ?? this.readAnimal(petId);
  }

  private async readPage(name: string, query: ListPetsQuery): Promise<PetPage> {
    // From before the reading, so that a page which misses a pet that is added meanwhile is known to be old.
    const { additions } = this.pets;
    const { animals, nextAfter } = await this.pets.list(query);
    const page = { json: JSON.stringify(animals), nextAfter, additions };
    this.pages.set(name, page);
    return page;
  }

  private async readAnimal(petId: string): Promise<string> {
    const json = JSON.stringify(await this.pets.get(petId));
    this.animals.set(petId, json);
    return json;
  }
}
