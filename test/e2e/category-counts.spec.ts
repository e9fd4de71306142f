import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/index.js';
import { PetsService } from '../../src/pets/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { categoryCounts } from '../support/category-counts.js';
import { concurrently, JSON_TYPE } from '../support/http.js';

const CATEGORIES = ['1', '2', '3', '-4', '9223372036854775807'];
const STATUSES = ['available', 'pending', 'sold', null];

/** Changes that come in at the same time. */
const WIDTH = 32;

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key({ plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 });
});
afterAll(() => service.stop());

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
const inWrite = (work: Parameters<Database['write']>[0]) => service.app.get(Database).write(work);

function add(): Promise<Response> {
  const status = pick(STATUSES);
  return service.post(
    '/v1/pets',
    key,
    `{"name":"x","categoryId":${pick(CATEGORIES)}${status === null ? '' : `,"status":"${status}"`}}`,
  );
}

function change(petId: number): Promise<Response> {
  const fields = [`"categoryId":${pick(CATEGORIES)}`, `"status":${JSON.stringify(pick(STATUSES))}`].slice(
    pick([0, 0, 1]),
    pick([1, 2, 2]),
  );
  return service.request(`/v1/pets/${petId}`, {
    key,
    method: 'PATCH',
    headers: JSON_TYPE,
    body: `{${fields.join(',')}}`,
  });
}

/** An order for a pet, sometimes in a transaction that fails. */
async function order(petId: string): Promise<void> {
  const pets = service.app.get(PetsService);
  const step = (method: 'reserve' | 'release' | 'sell') =>
    inWrite(async () => {
      await pets[method](petId);
      if (Math.random() < 0.3) throw new Error('on purpose');
    });
  await step('reserve')
    .then(() => step(pick(['release', 'sell'])))
    .catch(() => undefined);
}

function act(): Promise<unknown> {
  const petId = 1 + Math.floor(Math.random() * 80);
  const remove = () => service.request(`/v1/pets/${petId}`, { key, method: 'DELETE' });
  return pick<() => Promise<unknown>>([
    add,
    () => change(petId),
    () => change(petId),
    remove,
    () => order(String(petId)),
  ])();
}

describe('the counts of categories', () => {
  it('match the pets after any mix of concurrent changes', async () => {
    await concurrently(
      Array.from({ length: 60 }, () => add),
      WIDTH,
    );
    const responses = await concurrently(
      Array.from({ length: 600 }, () => act),
      WIDTH,
    );
    const failed = responses.filter((response) => response instanceof Response && response.status >= 500);
    expect(failed).toEqual([]);
    const { counted, real } = await categoryCounts(service.folder);
    expect(counted).toEqual(real);
    expect(real.length).toBeGreaterThan(1);
  });

  it('are not changed by requests that fail', async () => {
    const before = await categoryCounts(service.folder);
    const failing = inWrite(async () => {
      await service.app.get(PetsService).create({ name: 'y', categoryId: 2, status: 'sold' });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await categoryCounts(service.folder)).toEqual(before);
  });
});
