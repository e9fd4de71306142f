import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter, Registry } from '@prometheus-io/client';
import { etagOf, pageEtag, type PageJson, Database } from '../../kernel.js';
import type { ListPetsQuery } from '../pet.dto.js';
import { PetsService } from '../pets.service.js';
import { type CatalogueState, CatalogueVersion, MAX_SHARED_AGE_MS } from './catalogue-version.js';

/** Of data cached from an embedded database, to which other processes can write unnoticed. */
const MAX_EMBEDDED_AGE_MS = 1_000;
/** Of cached pages, and of cached pets. */
const MAX_BYTES = 16_000_000;
/** Memory of an entry besides its texts. Measured: 350 to 400. */
const ENTRY_BYTES = 512;
/** V8 uses two bytes per character if a text has one beyond Latin-1. */
const BYTES_PER_CHARACTER = 2;

/** A cached response body: a pet, or a page of the list. */
export interface PetResponse extends PageJson {
  /** Whether a pet that is added can belong to it. */
  readonly canGrow: boolean;
  /** The version before the read, so that a concurrent write makes the entry stale. */
  readonly state: CatalogueState | undefined;
}

const sizeCalculation = ({ json }: PetResponse, name: string) =>
  ENTRY_BYTES + BYTES_PER_CHARACTER * (json.length + name.length);

/** Caches responses of the catalogue. A write is visible in every response after it was acknowledged. */
@Injectable()
export class PetResponseCache {
  private readonly pages: LRUCache<string, PetResponse>;
  private readonly animals: LRUCache<string, PetResponse>;
  private readonly reads = new SingleFlight<PetResponse>();
  private hits = 0;
  private misses = 0;

  constructor(
    private readonly version: CatalogueVersion,
    private readonly pets: PetsService,
    { isEmbedded }: Database,
    registry: Registry,
  ) {
    const options = { maxSize: MAX_BYTES, sizeCalculation, ttl: isEmbedded ? MAX_EMBEDDED_AGE_MS : MAX_SHARED_AGE_MS };
    this.pages = new LRUCache(options);
    this.animals = new LRUCache(options);
    const reads: Counter<'result'> = new Counter({
      name: 'petstore_cache_reads_total',
      help: 'Reads of pages and pets by whether the response was cached.',
      labelNames: ['result'],
      registers: [registry],
      collect: () => {
        reads.reset();
        reads.inc({ result: 'hit' }, this.hits);
        reads.inc({ result: 'miss' }, this.misses);
      },
    });
  }

  page(query: ListPetsQuery): PetResponse | Promise<PetResponse> {
    const { limit, status = '', categoryId = '', ids = '', after = '' } = query;
    const name = `${limit} ${status} ${categoryId} ${ids} ${after}`;
    return this.get(this.pages, name, async (state) => {
      const { items, nextAfter } = await this.pets.list(query);
      const json = JSON.stringify(items);
      const listed = query.ids?.split(',').length;
      // A client that asks for one pet can use the validator to change it.
      const isOnePet = listed === 1 && items.length === 1;
      const etag = isOnePet ? etagOf(json.slice(1, -1)) : pageEtag(json, nextAfter);
      return { json, etag, nextAfter, canGrow: nextAfter === undefined && items.length !== listed, state };
    });
  }

  /** @throws (rejects) DomainError `pet_not_found` */
  animal(petId: string): PetResponse | Promise<PetResponse> {
    return this.get(this.animals, petId, async (state) => {
      const json = JSON.stringify(await this.pets.get(petId));
      return { json, etag: etagOf(json), nextAfter: undefined, canGrow: false, state };
    });
  }

  private get(
    kept: LRUCache<string, PetResponse>,
    name: string,
    read: (state: CatalogueState | undefined) => Promise<PetResponse>,
  ): PetResponse | Promise<PetResponse> {
    const { current } = this.version;
    const cached = kept.get(name);
    if (cached !== undefined && isCurrent(cached, current)) {
      this.hits += 1;
      return cached;
    }
    this.misses += 1;
    return this.reads.join(name, current, async () => {
      // What others wrote during the read may be missing in it, so its age counts from its beginning.
      const start = performance.now();
      const response = await read(current);
      kept.set(name, response, { start });
      return response;
    });
  }
}

function isCurrent({ state, canGrow }: PetResponse, current: CatalogueState | undefined): boolean {
  if (state === undefined || state.changes !== current?.changes) return false;
  return !canGrow || state.additions === current.additions;
}

/** Coalesces identical concurrent reads, as long as the catalogue does not change. */
export class SingleFlight<T> {
  private readonly underWay = new Map<string, Promise<T>>();

  /** @param state current version of the catalogue; undefined if it is unknown, and then nothing is coalesced */
  join(name: string, state: CatalogueState | undefined, read: () => Promise<T>): Promise<T> {
    if (state === undefined) return read();
    const key = `${state.changes} ${state.additions} ${name}`;
    const joined = this.underWay.get(key) ?? read().finally(() => this.underWay.delete(key));
    this.underWay.set(key, joined);
    return joined;
  }
}
