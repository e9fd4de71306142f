import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { etagOf, pageEtag, type PageJson } from '../../conditional-requests/index.js';
import { Database } from '../../database/index.js';
import type { ListPetsQuery } from '../pet.dto.js';
import { PetsService } from '../pets.service.js';
import { type CatalogueState, CatalogueVersion, MAX_SHARED_AGE_MS } from './catalogue-version.js';

/** Maximum memory of cached pages, and of cached pets, in bytes. */
const MAX_BYTES = 16_000_000;
/** Memory of an entry besides its texts, in bytes. Measured: 350 to 400. */
const ENTRY_BYTES = 512;
/** V8 uses two bytes per character if a text has one beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;

/** A cached response body. */
export interface PetResponse {
  readonly json: string;
  readonly etag: string;
  /** The version before the read, so that a concurrent write makes the entry stale. */
  readonly state: CatalogueState | undefined;
}

/** A page of the list: a JSON array of pets. */
export interface PetPage extends PetResponse {
  /** Identifier after which the next page begins; absent on the last page. */
  readonly nextAfter: PageJson['nextAfter'];
  /** Whether a pet that is added can belong to it. */
  readonly canGrow: boolean;
}

const sizeCalculation = ({ json }: PetResponse, name: string) =>
  ENTRY_BYTES + BYTES_PER_CHARACTER * (json.length + name.length);

/** Caches responses of the catalogue. A write is visible in every response after it was acknowledged. */
@Injectable()
export class PetResponseCache {
  private readonly pages: LRUCache<string, PetPage>;
  private readonly animals: LRUCache<string, PetResponse>;
  private readonly pageReads = new SingleFlight<PetPage>();
  private readonly animalReads = new SingleFlight<PetResponse>();

  constructor(
    private readonly version: CatalogueVersion,
    private readonly pets: PetsService,
    { isEmbedded }: Database,
  ) {
    const options = { maxSize: MAX_BYTES, sizeCalculation, ttl: isEmbedded ? 0 : MAX_SHARED_AGE_MS };
    this.pages = new LRUCache<string, PetPage>(options);
    this.animals = new LRUCache<string, PetResponse>(options);
  }

  page(query: ListPetsQuery): PetPage | Promise<PetPage> {
    const { limit, status = '', categoryId = '', ids = '', after = '' } = query;
    const name = `${limit} ${status} ${categoryId} ${ids} ${after}`;
    const cached = this.pages.get(name);
    if (cached !== undefined && this.isUnchanged(cached) && (!cached.canGrow || this.isComplete(cached))) return cached;
    const state = this.version.current;
    return this.pageReads.join(name, state, () => this.readPage(name, query, state));
  }

  /**
   * @param petId decimal digits
   * @throws (rejects) DomainError `pet_not_found`
   */
  animal(petId: string): PetResponse | Promise<PetResponse> {
    const cached = this.animals.get(petId);
    if (cached !== undefined && this.isUnchanged(cached)) return cached;
    const state = this.version.current;
    return this.animalReads.join(petId, state, () => this.readAnimal(petId, state));
  }

  private async readPage(name: string, query: ListPetsQuery, state: CatalogueState | undefined): Promise<PetPage> {
    const { items, nextAfter } = await this.pets.list(query);
    const json = JSON.stringify(items);
    const ids = query.ids?.split(',');
    // A client that asks for one pet can use the validator to change it.
    const isOnePet = ids?.length === 1 && items.length === 1;
    const etag = isOnePet ? etagOf(json.slice(1, -1)) : pageEtag(json, nextAfter);
    const canGrow = nextAfter === undefined && items.length !== ids?.length;
    const page = { json, etag, nextAfter, canGrow, state };
    this.pages.set(name, page);
    return page;
  }

  private async readAnimal(petId: string, state: CatalogueState | undefined): Promise<PetResponse> {
    const json = JSON.stringify(await this.pets.get(petId));
    const response = { json, etag: etagOf(json), state };
    this.animals.set(petId, response);
    return response;
  }

  private isUnchanged({ state }: PetResponse): boolean {
    return state !== undefined && state.changes === this.version.current?.changes;
  }

  private isComplete({ state }: PetResponse): boolean {
    return state !== undefined && state.additions === this.version.current?.additions;
  }
}

/** Coalesces identical concurrent reads, as long as the catalogue does not change. */
export class SingleFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /**
   * @param name of the read
   * @param state current version of the catalogue; undefined if it is unknown, and then nothing is coalesced
   */
  join(name: string, state: CatalogueState | undefined, read: () => Promise<T>): Promise<T> {
    if (state === undefined) return read();
    const key = `${state.changes} ${state.additions} ${name}`;
    const joined = this.underWay.get(key) ?? read().finally(() => this.underWay.delete(key));
    this.underWay.set(key, joined);
    return joined;
  }
}
