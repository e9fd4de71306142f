import { describe, expect, it, jest } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../database/database.js';
import { ListPetsQuery } from '../pet.dto.js';
import type { PetsService } from '../pets.service.js';
import type { CatalogueVersion } from './catalogue-version.js';
import { PetResponseCache, SingleFlight } from './pet-response-cache.js';

/** More than fit into the memory that pages may take, though their bodies have two bytes each. */
const MANY = 40_000;
const NOW = { additions: 1, changes: 1 };

/** A cache of pages of an empty catalogue that does not change. */
function cacheOfPages(list = async () => {}) {
  const pets = { list: async () => list().then(() => ({ items: [], nextAfter: undefined })) };
  const cache = new PetResponseCache(
    { current: NOW } as CatalogueVersion,
    pets as unknown as PetsService,
    { isEmbedded: true } as Database,
    new Registry(),
  );
  const page = (n: number) => cache.page(Object.assign(new ListPetsQuery(), { after: String(n) }));
  /** What is kept is returned at once. */
  const isKept = (n: number) => !(page(n) instanceof Promise);
  return { page, isKept };
}

/** Lets a second pass. */
function passASecond(): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
}

describe('cached pages', () => {
  it('are evicted, even if they are small', async () => {
    const { page, isKept } = cacheOfPages();
    await page(1);
    expect(isKept(1)).toBe(true);
    for (let n = 2; n <= MANY; n++) await page(n);
    expect([isKept(1), isKept(2), isKept(MANY)]).toEqual([false, false, true]);
  });

  it('age from the beginning of their read, which may not see what others wrote meanwhile', async () => {
    const { page, isKept } = cacheOfPages(async () => passASecond());
    await page(1);
    expect(isKept(1)).toBe(false);
  });
});

/** Reads that end when they are told to. */
class Reads {
  readonly begun: PromiseWithResolvers<string>[] = [];
  readonly joined = new SingleFlight<string>();

  ask(state: { additions: number; changes: number } | undefined, name = 'page'): Promise<string> {
    return this.joined.join(name, state, () => {
      const read = Promise.withResolvers<string>();
      this.begun.push(read);
      return read.promise;
    });
  }
}

describe('reads of the same name', () => {
  it('that are concurrent share one read', async () => {
    const reads = new Reads();
    const responses = [reads.ask(NOW), reads.ask({ ...NOW }), reads.ask(NOW)];
    reads.begun[0]?.resolve('a');
    expect(await Promise.all(responses)).toEqual(['a', 'a', 'a']);
    expect(reads.begun).toHaveLength(1);
  });

  it('fail together, and the next one reads again', async () => {
    const reads = new Reads();
    const responses = [reads.ask(NOW), reads.ask(NOW)];
    reads.begun[0]?.reject(new Error('away'));
    expect(await Promise.allSettled(responses)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    void reads.ask(NOW);
    expect(reads.begun).toHaveLength(2);
  });

  it.each([[{ additions: 2, changes: 1 }], [{ additions: 1, changes: 2 }], [undefined]])(
    'are not shared if a write came between them: %j',
    async (later) => {
      const reads = new Reads();
      const before = reads.ask(NOW);
      const after = reads.ask(later);
      reads.begun[1]?.resolve('new');
      reads.begun[0]?.resolve('old');
      expect([await before, await after]).toEqual(['old', 'new']);
    },
  );

  it('are still shared if an older read ends meanwhile', async () => {
    const reads = new Reads();
    const before = reads.ask(NOW);
    void reads.ask({ additions: 2, changes: 1 });
    reads.begun[0]?.resolve('old');
    await before;
    void reads.ask({ additions: 2, changes: 1 });
    expect(reads.begun).toHaveLength(2);
  });

  it('are not shared with reads of another name', () => {
    const reads = new Reads();
    void reads.ask(NOW, 'one');
    void reads.ask(NOW, 'other');
    expect(reads.begun).toHaveLength(2);
  });
});
