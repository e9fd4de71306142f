import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../../test/support/app.js';
import { ListPetsQuery } from '../pet.dto.js';
import { PetsService } from '../pets.service.js';
import { PetResponseCache } from './pet-response-cache.js';

/** More than fit into the memory that pages may take, though their bodies have two bytes each. */
const MANY = 40_000;

let service: TestApp;
let responses: PetResponseCache;

beforeAll(async () => {
  service = await startApp();
  responses = service.app.get(PetResponseCache);
});
afterAll(() => service.stop());

/** A page of an empty catalogue. */
const page = (n: number) => responses.page(Object.assign(new ListPetsQuery(), { after: String(n) }));
/** What is kept is returned at once. */
const isKept = (n: number) => !(page(n) instanceof Promise);

describe('cached pages', () => {
  it('are evicted, even if they are small', async () => {
    await page(1);
    expect(isKept(1)).toBe(true);
    for (let n = 2; n <= MANY; n++) await page(n);
    expect([isKept(1), isKept(2), isKept(MANY)]).toEqual([false, false, true]);
  });
});

describe('a cached response', () => {
  it('ages from the beginning of its read, which may not see what others wrote meanwhile', async () => {
    const pets = service.app.get(PetsService);
    const list = pets.list.bind(pets);
    const slow = jest.spyOn(pets, 'list').mockImplementation(async (query) => {
      const found = await list(query);
      await delay(1_100);
      return found;
    });
    await page(MANY + 1);
    slow.mockRestore();
    expect(isKept(MANY + 1)).toBe(false);
  });
});
