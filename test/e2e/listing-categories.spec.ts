import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

let service: TestApp;
let key: string;

beforeEach(async () => {
  service = await startApp();
  key = await service.key();
});
afterEach(() => service.stop());

const get = (path: string) => service.request(path, { key });
const post = (body: string) => service.post('/v1/categories', key, body);
const addPet = (categoryId: string) => service.post('/v1/pets', key, `{"name":"x","categoryId":${categoryId}}`);
const idsIn = async (response: Response) => (await response.text()).match(/(?<="id":)-?\d+/g) ?? [];

/** Adds categories with these identifiers, one after the other. */
async function add(...ids: string[]): Promise<void> {
  for (const id of ids) expect((await post(`{"name":"n","id":${id}}`)).status).toBe(201);
}

async function issued(): Promise<number> {
  const response = await post('{"name":"n"}');
  return ((await response.json()) as { id: number }).id;
}

describe('createCategory', () => {
  it('assigns the identifier after all that categories and pets use', async () => {
    expect(await issued()).toBe(1);
    await add('5');
    expect(await issued()).toBe(6);
    await addPet('40');
    expect(await issued()).toBe(41);
  });

  it('assigns identifiers from 1 to 2^53 - 1, whatever clients use', async () => {
    await add('-5', '9223372036854775807', '9007199254740992');
    expect(await issued()).toBe(1);
    await add('9007199254740991');
    const ids = [await issued(), await issued(), await issued()];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(Number.isSafeInteger(id) && id >= 1).toBe(true);
  });

  it('assigns each identifier once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, issued));
    expect(ids.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

describe('listCategories', () => {
  it('returns categories in ascending order of id, without those that only pets have', async () => {
    await add('10', '9', '-9223372036854775808', '9223372036854775807', '0');
    await addPet('4711');
    expect(await idsIn(await get('/v1/categories'))).toEqual([
      '-9223372036854775808',
      '0',
      '9',
      '10',
      '9223372036854775807',
    ]);
    expect(await (await get('/v1/categories?limit=1&after=0')).json()).toEqual([{ id: 9, name: 'n' }]);
  });

  it('links all pages, with each category once', async () => {
    const all = ['-9223372036854775808', '-3', '0', '1', '9007199254740993', '9223372036854775807'];
    await add(...all);
    const seen: string[] = [];
    let next: string | undefined = '/v1/categories?limit=2';
    while (next !== undefined) {
      const response: Response = await get(next);
      seen.push(...(await idsIn(response)));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all);
    expect(await idsIn(await get('/v1/categories?after=9223372036854775807'))).toEqual([]);
  });
});
