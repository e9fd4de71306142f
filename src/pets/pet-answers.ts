import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { etagOf, pageEtag } from '../conditional/index.js';
import { Database } from '../database/index.js';
import { type CatalogueState, CatalogueVersion, MAX_SHARED_AGE_MS } from './catalogue-version.js';
import { JoinedReads } from './joined-reads.js';
import type { ListPetsQuery } from './list-pets.query.js';
import { PetsService } from './pets.service.js';

/** Most characters that are kept of pages, and of single pets; two bytes each at worst. */
const MAX_CHARACTERS = 8_000_000;

/** Something of the catalogue as it goes over the wire. */
export interface PetAnswer {
  readonly json: string;
  readonly etag: string;
  /** From before it was read, so that what misses a write which happens meanwhile is known to be old. */
  readonly state: CatalogueState | undefined;
}

/** A page of the list: a JSON array of animals. */
export interface PetPage extends PetAnswer {
  /** Identifier after which the next page begins; absent on the last page. */
  readonly nextAfter: number | undefined;
}

const sizeCalculation = ({ json }: PetAnswer) => json.length;

/** The catalogue as JSON, remembered: whoever is told of a write finds it in the very next answer. */
@Injectable()
export class PetAnswers {
  private readonly pages: LRUCache<string, PetPage>;
  private readonly animals: LRUCache<string, PetAnswer>;
  private readonly pageReads = new JoinedReads<PetPage>();
  private readonly animalReads = new JoinedReads<PetAnswer>();

  constructor(
    private readonly version: CatalogueVersion,
    private readonly pets: PetsService,
    { isEmbedded }: Database,
  ) {
    const options = { maxSize: MAX_CHARACTERS, sizeCalculation, ttl: isEmbedded ? 0 : MAX_SHARED_AGE_MS };
    this.pages = new LRUCache<string, PetPage>(options);
    this.animals = new LRUCache<string, PetAnswer>(options);
  }

  page(query: ListPetsQuery): PetPage | Promise<PetPage> {
    const { limit, status = '', after = '' } = query;
    const name = `${limit} ${status} ${after}`;
    const kept = this.pages.get(name);
    const isTrue = kept !== undefined && this.isUnchanged(kept) && (kept.nextAfter !== undefined || this.isComplete(kept));
    if (isTrue) return kept;
    const state = this.version.current;
    return this.pageReads.join(name, state, () => this.readPage(name, query, state));
  }

  /**
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found`
   */
  animal(petId: string): PetAnswer | Promise<PetAnswer> {
    const kept = this.animals.get(petId);
    if (kept !== undefined && this.isUnchanged(kept)) return kept;
    const state = this.version.current;
    return this.animalReads.join(petId, state, () => this.readAnimal(petId, state));
  }

  private async readPage(name: string, query: ListPetsQuery, state: CatalogueState | undefined): Promise<PetPage> {
    const { animals, nextAfter } = await this.pets.list(query);
    const json = JSON.stringify(animals);
    const page = { json, etag: pageEtag(json, nextAfter), nextAfter, state };
    this.pages.set(name, page);
    return page;
  }

  private async readAnimal(petId: string, state: CatalogueState | undefined): Promise<PetAnswer> {
    const json = JSON.stringify(await this.pets.get(petId));
    const answer = { json, etag: etagOf(json), state };
    this.animals.set(petId, answer);
    return answer;
  }

  private isUnchanged({ state }: PetAnswer): boolean {
    return state !== undefined && state.changes === this.version.current?.changes;
  }

  private isComplete({ state }: PetAnswer): boolean {
    return state !== undefined && state.additions === this.version.current?.additions;
  }
}
