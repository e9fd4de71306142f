import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Most characters that are kept of pages, and of single pets; in UTF-16 two bytes each at worst. */
const MAX_CHARACTERS = 8_000_000;
/** Bounds how long a change that another process makes to the database may stay unseen, in milliseconds. */
const MAX_AGE_MS = 1_000;

/** A page of the list as it goes over the wire. */
export interface PetPage {
  /** JSON array of animals. */
  readonly json: string;
  /** Identifier after which the next page begins; absent on the last page. */
  readonly nextAfter?: number | undefined;
}

interface KeptPage extends PetPage {
  /** How many pets this process had added before the page was read. */
  readonly additions: number;
}

/**
 * Answers that were read from the database before, coherent with all writes of this process: whoever is told of a
 * write finds it in the very next answer.
 */
@Injectable()
export class PetCache {
  private readonly pages = new LRUCache<string, KeptPage>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ json }) => json.length,
    ttl: MAX_AGE_MS,
  });
  private readonly pets = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (json) => json.length,
    ttl: MAX_AGE_MS,
  });
  private additions = 0;

  /** The page kept under a name, else the one that `read` gives. */
  page(name: string, read: () => Promise<PetPage>): PetPage | Promise<PetPage> {
    const kept = this.pages.get(name);
    // A new pet has the highest identifier, so it comes in on a last page or after it.
    if (kept !== undefined && (kept.nextAfter !== undefined || kept.additions === this.additions)) return kept;
    return this.readPage(name, read);
  }

  /** The JSON of the pet kept under an identifier, else what `read` gives. */
  pet(petId: string, read: () => Promise<string>): string | Promise<string> {
    return this.pets.get(petId) ?? this.readPet(petId, read);
  }

  /** To be called after each pet that was added, before anybody is told of it. */
  petAdded(): void {
    this.additions += 1;
  }

  private async readPage(name: string, read: () => Promise<PetPage>): Promise<PetPage> {
    // From before the reading, so that a page which misses a pet that is added meanwhile is known to be old.
    const { additions } = this;
    const page = await read();
    this.pages.set(name, { ...page, additions });
    return page;
  }

  private async readPet(petId: string, read: () => Promise<string>): Promise<string> {
    const json = await read();
    this.pets.set(petId, json);
    return json;
  }
}
