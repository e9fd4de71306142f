// @postgres: changes of one category at once wait for its row.
import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

shareApp();

const get = (path: string, headers: Record<string, string> = {}) => service.request(path, { key, headers });
const post = (body: string) => service.post('/v1/categories', key, body);
const patch = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method: 'PATCH', headers: { ...JSON_TYPE, ...headers }, body });
const addPet = (categoryId: string) => service.post('/v1/pets', key, `{"name":"x","categoryId":${categoryId}}`);

/** Adds categories with these identifiers, one after the other. */
async function add(...ids: string[]): Promise<void> {
  for (const id of ids) expect((await post(`{"name":"n","id":${id}}`)).status).toBe(201);
}

const INVALID = { status: 400, code: 'validation_failed' };
const NOT_FOUND = { status: 404, code: 'category_not_found' };

describe('createCategory', () => {
  it.each(['1', '0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'])(
    'accepts the identifier %s',
    async (id) => {
      const response = await post(`{"name":"Dogs","id":${id}}`);
      const text = `{"id":${id},"name":"Dogs"}`;
      expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
        201,
        `/v1/categories/${id}`,
        text,
      ]);
      const read = await get(`/v1/categories/${id}`);
      expect([await read.text(), read.headers.get('etag')]).toEqual([text, response.headers.get('etag')]);
    },
  );

  it('accepts an identifier once', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => post(`{"name":"name ${n}","id":8}`)));
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const response of refused)
      expect(await errorOf(response)).toMatchObject({ status: 409, code: 'category_exists' });
  });

  it.each([
    ['{}', 'name is required'],
    ['{"name":null}', 'name must be'],
    ['{"name":" "}', 'name must have'],
    ['{"name":"\\u200b"}', 'name must have'],
    ['{"name":"a\\u0000"}', 'name must have'],
    [JSON.stringify({ name: 'x'.repeat(256) }), 'name must have'],
    ['{"name":"x","id":null}', 'id must be'],
    ['{"name":"x","id":"1"}', 'id must be'],
    ['{"name":"x","id":9223372036854775808}', 'id must be'],
    ['{"name":"x","pets":{}}', '"pets" is not a known field'],
  ])('refuses %s', async (body, message) => {
    expect(await errorOf(await post(body))).toMatchObject({ ...INVALID, message: expect.stringContaining(message) });
  });
});

describe('listCategories', () => {
  it.each([
    'limit=0',
    'limit=101',
    'limit=',
    'after=',
    'after=-0',
    'after=01',
    'after=1.0',
    'after=%2B1',
    'after=9223372036854775808',
    'after=-9223372036854775809',
    'status=sold',
    'after=1&after=2',
  ])('refuses ?%s', async (query) => {
    expect(await errorOf(await get(`/v1/categories?${query}`))).toMatchObject(INVALID);
  });

  it('and getCategory return 304 until the name changes', async () => {
    await add('10');
    for (const path of ['/v1/categories?after=9&limit=1', '/v1/categories/10']) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const kept = await get(path, { 'If-None-Match': etag });
      expect([kept.status, await kept.text(), kept.headers.get('etag')]).toEqual([304, '', etag]);
      await patch('/v1/categories/10', `{"name":"name of ${path}"}`);
      expect((await get(path, { 'If-None-Match': etag })).status).toBe(200);
    }
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
  });

  it.each([['{"name":null}'], ['{"name":""}'], ['{"id":5}'], ['[]']])('refuses %s', async (body) => {
    expect(await errorOf(await patch('/v1/categories/11', body))).toMatchObject(INVALID);
  });
});

describe('an unknown category', () => {
  it('is 404 even if pets use its identifier', async () => {
    await addPet('12');
    expect(await errorOf(await get('/v1/categories/12'))).toMatchObject(NOT_FOUND);
    expect(await errorOf(await patch('/v1/categories/12', '{}'))).toMatchObject(NOT_FOUND);
    expect(await (await get('/v1/categories?limit=100')).text()).not.toContain('"id":12,');
  });

  it('is 404 whatever its identifier looks like', async () => {
    for (const id of [
      '-0',
      '+1',
      '01',
      '1.0',
      '1e0',
      '%201',
      'x',
      '9223372036854775808',
      '-9223372036854775809',
      '%00',
      '--1',
    ]) {
      expect([id, (await get(`/v1/categories/${id}`)).status]).toEqual([id, 404]);
    }
  });
});

describe('the scopes of categories', () => {
  it('allow reading and writing separately', async () => {
    const reader = await service.key({ scopes: ['categories:read'] });
    const writer = await service.key({ scopes: ['categories:write'] });
    expect((await service.request('/v1/categories', { key: reader })).status).toBe(200);
    expect((await service.post('/v1/categories', writer, '{"name":"x"}')).status).toBe(201);
    expect((await errorOf(await service.request('/v1/categories', { key: writer }))).message).toContain(
      'categories:read',
    );
    expect((await errorOf(await service.post('/v1/categories', reader, '{"name":"x"}'))).message).toContain(
      'categories:write',
    );
  });
});

describe('createCategory without an identifier', () => {
  it('assigns unique identifiers while others choose theirs', async () => {
    const { id } = (await (await post('{"name":"n"}')).json()) as { id: number };
    const named = Array.from({ length: 20 }, (_, n) => String(id + 1 + n));
    const [assigned] = await Promise.all([
      Promise.all(named.map(() => post('{"name":"n"}'))),
      Promise.all(named.flatMap((next) => [post(`{"name":"n","id":${next}}`), addPet(next)])),
    ]);
    expect(assigned.map(({ status }) => status)).toEqual(named.map(() => 201));
    const ids = await Promise.all(assigned.map(async (response) => ((await response.json()) as { id: number }).id));
    expect(new Set(ids).size).toBe(named.length);
  });
});
