import { beforeEach, describe, expect, it } from '@jest/globals';
import { queryDatabase } from '../support/databases.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { pagesFrom } from '../support/pages.js';

shareApp({}, AMPLE);
beforeEach(async () => {
  for (const table of ['categories', 'pets']) await queryDatabase(service.folder, `DELETE FROM "${table}"`);
});

const get = (path: string, headers: Record<string, string> = {}) => service.request(path, { key, headers });
const post = (body: string) => service.post('/v1/categories', key, body);
const patch = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method: 'PATCH', headers: { ...JSON_TYPE, ...headers }, body });
const addPet = (categoryId: string) => service.post('/v1/pets', key, `{"name":"x","categoryId":${categoryId}}`);

/** Adds categories with these identifiers, one after the other. */
async function add(...ids: string[]): Promise<void> {
  for (const id of ids) expect((await post(`{"name":"n","id":${id}}`)).status).toBe(201);
}

/** The identifier of a new category. */
async function issued(): Promise<number> {
  const response = await post('{"name":"n"}');
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
}

/** Identifiers in a list, digit for digit. */
const idsIn = async (response: Response) => (await response.text()).match(/(?<="id":)-?\d+/g) ?? [];

const SMALLEST = '-9223372036854775808';
const LARGEST = '9223372036854775807';
const NOT_FOUND = '404 category_not_found';
const INVALID = '400 validation_failed';

describe('createCategory', () => {
  it.each(['1', '0', '-1', LARGEST, SMALLEST, '9007199254740993'])('accepts the identifier %s', async (id) => {
    const response = await post(`{"name":"Dogs","id":${id}}`);
    const text = `{"id":${id},"name":"Dogs"}`;
    expect([response.status, await response.text()]).toEqual([201, text]);
    expect(response.headers.get('location')).toBe(`/v1/categories/${id}`);
    const read = await get(`/v1/categories/${id}`);
    expect([await read.text(), read.headers.get('etag')]).toEqual([text, response.headers.get('etag')]);
  });

  it('accepts an identifier once', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => post(`{"name":"name ${n}","id":8}`)));
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const response of refused) expect(await refusalOf(response)).toBe('409 category_exists');
  });

  it.each([
    ['{}', 'name is required'],
    ['{"name":null}', 'name must be'],
    ['{"name":" "}', 'name must have'],
    [JSON.stringify({ name: 'x'.repeat(256) }), 'name must have'],
    ['{"name":"x","id":null}', 'id must be'],
    ['{"name":"x","id":"1"}', 'id must be'],
    ['{"name":"x","id":9223372036854775808}', 'id must be'],
    ['{"name":"x","pets":{}}', '"pets" is not a known field'],
  ])('refuses %s', async (body, message) => {
    const refusal = { code: 'validation_failed', message: expect.stringContaining(message) };
    expect(await errorOf(await post(body))).toMatchObject(refusal);
  });
});

describe('createCategory without an identifier', () => {
  it('assigns the identifier after all that categories and pets use', async () => {
    expect(await issued()).toBe(1);
    await add('5');
    expect(await issued()).toBe(6);
    await addPet('40');
    expect(await issued()).toBe(41);
  });

  it('assigns identifiers from 1 to 2^53 - 1, whatever clients use', async () => {
    await add('-5', LARGEST, '9007199254740992');
    expect(await issued()).toBe(1);
    await add('9007199254740991');
    const ids = [await issued(), await issued(), await issued()];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(Number.isSafeInteger(id) && id >= 1).toBe(true);
  });
});

describe('listCategories', () => {
  it('returns categories in ascending order of id, without those that only pets have', async () => {
    await add('10', '9', SMALLEST, LARGEST, '0');
    await addPet('4711');
    expect(await idsIn(await get('/v1/categories'))).toEqual([SMALLEST, '0', '9', '10', LARGEST]);
    expect(await (await get('/v1/categories?limit=1&after=0')).json()).toEqual([{ id: 9, name: 'n' }]);
  });

  it('links all pages, with each category once', async () => {
    const all = [SMALLEST, '-3', '0', '1', '9007199254740993', LARGEST];
    await add(...all);
    const pages = await pagesFrom('/v1/categories?limit=2', get);
    expect(await Promise.all(pages.map(idsIn))).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    expect(await idsIn(await get(`/v1/categories?after=${LARGEST}`))).toEqual([]);
  });

  it.each([
    ...'limit=0 limit=101 limit= status=sold after=1&after=2'.split(' '),
    ...['', '-0', '01', '1.0', '%2B1', '9223372036854775808', '-9223372036854775809'].map((id) => `after=${id}`),
  ])('refuses ?%s', async (query) => {
    expect(await refusalOf(get(`/v1/categories?${query}`))).toBe(INVALID);
  });
});

describe('changeCategory', () => {
  it('changes only the name of a category', async () => {
    await add('-3', '-2');
    const response = await patch('/v1/categories/-3', '{"name":"😀"}');
    const text = '{"id":-3,"name":"😀"}';
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect(await (await get('/v1/categories?limit=2&after=-4')).text()).toBe(`[${text},{"id":-2,"name":"n"}]`);
    expect(await (await patch('/v1/categories/-3', '{}')).text()).toBe(text);
  });

  it('checks its precondition', async () => {
    await add('11');
    const condition = { 'If-Match': (await get('/v1/categories/11')).headers.get('etag') ?? '' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch('/v1/categories/11', `{"name":"name ${n}"}`, condition)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    // Also of a patch that would change nothing.
    expect((await patch('/v1/categories/11', '{}', condition)).status).toBe(412);
  });

  it.each(['{"name":null}', '{"name":""}', '{"id":5}', '[]'])('refuses %s', async (body) => {
    await add('11');
    expect(await refusalOf(patch('/v1/categories/11', body))).toBe(INVALID);
  });
});

describe('an unknown category', () => {
  it('is 404 even if pets use its identifier', async () => {
    await addPet('12');
    expect(await refusalOf(get('/v1/categories/12'))).toBe(NOT_FOUND);
    expect(await refusalOf(patch('/v1/categories/12', '{}'))).toBe(NOT_FOUND);
  });

  it.each('-0 +1 01 1.0 1e0 %201 x %00 --1 9223372036854775808 -9223372036854775809'.split(' '))(
    'is 404 whatever its identifier looks like: %s',
    async (id) => {
      await add('0', '1');
      expect(await refusalOf(get(`/v1/categories/${id}`))).toBe(NOT_FOUND);
    },
  );
});
