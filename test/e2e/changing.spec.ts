// @postgres: changes of one pet at once wait for its row.
import { describe, expect, it } from '@jest/globals';
import { PetsService } from '../../src/pets/index.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

shareApp({}, AMPLE);

const STATUSES = ['available', 'pending', 'sold', null] as const;
type Status = (typeof STATUSES)[number];

/** Path of a new pet. */
async function add(status: Status = 'available'): Promise<string> {
  const body = JSON.stringify({ name: 'Bella', categoryId: 7, ...(status === null ? {} : { status }) });
  return (await service.post('/v1/pets', key, body)).headers.get('location') ?? '';
}

const get = (path: string) => service.request(path, { key });
const patch = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method: 'PATCH', headers: { ...JSON_TYPE, ...headers }, body });
const remove = (path: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method: 'DELETE', headers });
const idIn = (path: string) => path.slice('/v1/pets/'.length);

const NOT_FOUND = { status: 404, code: 'pet_not_found' };
const IN_ORDER = { status: 409, code: 'pet_in_order' };
const FAILED = { status: 412, code: 'precondition_failed' };

/** Lets an order hold a pet, or ends it. */
const order = (method: 'reserve' | 'release' | 'sell', path: string) =>
  service.app.get(PetsService)[method](idIn(path));

describe('changePet', () => {
  it.each([
    ['{"name":"Bello"}', '"name":"Bello","categoryId":7,"status":"available"'],
    ['{"categoryId":9223372036854775807}', '"name":"Bella","categoryId":9223372036854775807,"status":"available"'],
    ['{"categoryId":-1e2}', '"name":"Bella","categoryId":-100,"status":"available"'],
    ['{"status":"pending"}', '"name":"Bella","categoryId":7,"status":"pending"'],
    ['{"status":null}', '"name":"Bella","categoryId":7'],
    ['{"status":"sold","categoryId":8,"name":"😀"}', '"name":"😀","categoryId":8,"status":"sold"'],
    ['{}', '"name":"Bella","categoryId":7,"status":"available"'],
  ])('applies %s, which every later response shows', async (body, expected) => {
    const path = await add();
    const text = `{"id":${idIn(path)},${expected}}`;
    for (const remembered of [path, '/v1/pets?limit=100']) await get(remembered);
    const response = await patch(path, body);
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const read = await get(path);
    expect([await read.text(), read.headers.get('etag')]).toEqual([text, response.headers.get('etag')]);
    expect(await (await get('/v1/pets?limit=100')).text()).toContain(text);
  });

  it.each([
    ['{"name":null}', 'name must be'],
    ['{"name":""}', 'name must have 1 to 255 characters'],
    ['{"name":"a\\u0000"}', 'name must have'],
    ['{"categoryId":null}', 'categoryId must be'],
    ['{"categoryId":9223372036854775808}', 'categoryId must be'],
    ['{"categoryId":1.5}', 'categoryId must be'],
    ['{"status":"lost"}', 'status must be one of available, pending, sold, or be null'],
    ['{"status":""}', 'status must be'],
    ['{"status":["sold"]}', 'status must be'],
    ['{"id":5}', '"id" is not a known field'],
    ['{"held":0}', '"held" is not a known field'],
    ['{"__proto__":{}}', '"__proto__" is not a known field'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
  ])('refuses %s', async (body, message) => {
    const path = await add();
    const refusal = { status: 400, code: 'validation_failed', message: expect.stringContaining(message) };
    expect(await errorOf(await patch(path, body))).toMatchObject(refusal);
    expect(await (await get(path)).json()).toMatchObject({ name: 'Bella', categoryId: 7, status: 'available' });
  });

  it.each(['application/merge-patch+json', 'application/merge-patch+json; charset=utf-8', 'application/json'])(
    'takes %s',
    async (type) => {
      expect((await patch(await add(), '{"name":"Bello"}', { 'Content-Type': type })).status).toBe(200);
    },
  );

  it.each(['application/json-patch+json', 'text/plain', 'merge-patch+json'])(
    'refuses %s, and names the accepted types',
    async (type) => {
      const refusal = await errorOf(await patch(await add(), '{}', { 'Content-Type': type }));
      const message = expect.stringMatching(/application\/json.* application\/merge-patch\+json/);
      expect(refusal).toMatchObject({ code: 'unsupported_media_type', message });
    },
  );

  it('refuses the merge patch type for operations without a patch', async () => {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = '{"name":"x","categoryId":1}';
    const response = await service.request('/v1/pets', { key, method: 'POST', headers, body });
    expect(await errorOf(response)).toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each(['0', '01', '-1', '9223372036854775807', 'x', '9223372036854775808'])(
    'returns 404 for the pet %s',
    async (petId) => {
      expect(await errorOf(await patch(`/v1/pets/${petId}`, '{}'))).toMatchObject(NOT_FOUND);
    },
  );

  it('needs pets:write', async () => {
    const reader = await service.key({ scopes: ['pets:read'] });
    const request = { key: reader, method: 'PATCH', headers: JSON_TYPE, body: '{}' };
    const response = await service.request(await add(), request);
    expect(await errorOf(response)).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });
});

describe('a status', () => {
  it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
    'that is %s can become %s unless it is sold',
    async (from, to) => {
      const path = await add(from);
      const response = await patch(path, JSON.stringify({ status: to }));
      const { code } = (await response.json()) as { code?: string };
      const isFinal = from === 'sold' && to !== 'sold';
      expect([response.status, code]).toEqual(isFinal ? [409, 'invalid_status_transition'] : [200, undefined]);
      expect(((await (await get(path)).json()) as { status?: string }).status).toBe((isFinal ? from : to) ?? undefined);
    },
  );

  it('stays sold, but the other fields can change', async () => {
    const path = await add('sold');
    expect(await (await patch(path, '{"name":"Bello","categoryId":8,"status":"sold"}')).json()).toMatchObject({
      name: 'Bello',
      categoryId: 8,
      status: 'sold',
    });
    expect((await patch(path, '{"name":"Bella","status":"available"}')).status).toBe(409);
    expect(await (await get(path)).json()).toMatchObject({ name: 'Bello' });
  });
});

describe('a pet that an order reserves', () => {
  it.each([['available'], ['sold'], [null]])('cannot become %s by changePet', async (status) => {
    const path = await add();
    await order('reserve', path);
    expect(await errorOf(await patch(path, JSON.stringify({ status })))).toMatchObject(IN_ORDER);
    expect(await errorOf(await remove(path))).toMatchObject(IN_ORDER);
    expect(await (await get(path)).json()).toMatchObject({ status: 'pending' });
  });

  it('accepts another name, another category and its current status', async () => {
    const path = await add();
    await order('reserve', path);
    expect((await patch(path, '{"name":"Bello","categoryId":8,"status":"pending"}')).status).toBe(200);
    await order('sell', path);
    expect(await (await get(path)).json()).toMatchObject({ name: 'Bello', categoryId: 8, status: 'sold' });
  });

  it('can be changed and removed after the order has ended', async () => {
    const path = await add();
    await order('reserve', path);
    await order('release', path);
    expect((await patch(path, '{"status":"pending"}')).status).toBe(200);
    expect((await remove(path)).status).toBe(204);
  });
});

describe('removePet', () => {
  it('returns 204 without a body, and no later response has the pet', async () => {
    const path = await add();
    await get(path);
    await get('/v1/pets?limit=100');
    const response = await remove(path);
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(await errorOf(await get(path))).toMatchObject(NOT_FOUND);
    expect(await errorOf(await remove(path))).toMatchObject(NOT_FOUND);
    expect(await errorOf(await patch(path, '{}'))).toMatchObject(NOT_FOUND);
    expect(await (await get(`/v1/pets?after=${Number(idIn(path)) - 1}`)).json()).toEqual([]);
  });

  it('never reuses the identifier', async () => {
    const path = await add();
    await remove(path);
    expect(Number(idIn(await add()))).toBeGreaterThan(Number(idIn(path)));
  });

  it.each(['0', '01', 'x', '9223372036854775807'])('returns 404 for the pet %s', async (petId) => {
    expect(await errorOf(await remove(`/v1/pets/${petId}`))).toMatchObject(NOT_FOUND);
  });
});

const etagOf = async (path: string) => (await get(path)).headers.get('etag') ?? '';

type Refused = [title: string, condition: (path: string) => Promise<Record<string, string>>];

describe('a precondition', () => {
  it.each([
    ['the current tag', (etag: string) => etag],
    ['a list that has it', (etag: string) => `"other", ${etag}`],
    ['*', () => '*'],
  ])('accepts a change with %s', async (_, condition) => {
    const path = await add();
    const headers = { 'If-Match': condition(await etagOf(path)) };
    expect((await patch(path, '{}', headers)).status).toBe(200);
    expect((await remove(path, headers)).status).toBe(204);
  });

  it.each<Refused>([
    ['another tag', async () => ({ 'If-Match': '"other"' })],
    ...['', 'abc', '"a', '*, "a"'].map((list): Refused => [
      `a malformed list: ${list}`,
      async () => ({ 'If-Match': list }),
    ]),
    ['a weak tag', async (path: string) => ({ 'If-Match': `W/${await etagOf(path)}` })],
    [
      'an old tag',
      async (path: string) => {
        const old = await etagOf(path);
        await patch(path, '{"name":"Bello"}');
        return { 'If-Match': old };
      },
    ],
    ['If-None-Match with the current tag', async (path: string) => ({ 'If-None-Match': await etagOf(path) })],
    ['If-None-Match with *', async () => ({ 'If-None-Match': '*' })],
  ])('refuses a change with %s', async (_, condition) => {
    const path = await add();
    const headers = await condition(path);
    const before = await (await get(path)).text();
    expect(await errorOf(await patch(path, '{"name":"Max"}', headers))).toMatchObject(FAILED);
    expect(await errorOf(await remove(path, headers))).toMatchObject(FAILED);
    expect(await (await get(path)).text()).toBe(before);
  });

  it('is checked after the existence of the pet, and before its state', async () => {
    expect(await errorOf(await patch('/v1/pets/4711', '{}', { 'If-Match': '*' }))).toMatchObject(NOT_FOUND);
    expect(await errorOf(await patch(await add('sold'), '{"status":null}', { 'If-Match': '"other"' }))).toMatchObject(
      FAILED,
    );
  });

  it('accepts one of many changes that are based on the same state', async () => {
    const path = await add();
    const condition = { 'If-Match': await etagOf(path) };
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => patch(path, `{"name":"name ${n}"}`, condition)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
  });
});

describe('many concurrent changes of one pet', () => {
  it('never leave sold, and return their own results', async () => {
    const path = await add();
    const changes = Array.from({ length: 100 }, (_, n) => STATUSES[n % 4]);
    const responses = await Promise.all(changes.map((status) => patch(path, JSON.stringify({ status }))));
    const outcomes = await Promise.all(
      responses.map(async (response, n) => ({
        asked: changes[n] ?? null,
        code: response.status,
        body: (await response.json()) as { status?: string },
      })),
    );
    const made = outcomes.map(({ asked, code, body }) => (code === 200 ? [200, body.status ?? null] : [code, asked]));
    expect(made).toEqual(outcomes.map(({ asked, code }) => [asked === 'sold' || code === 200 ? 200 : 409, asked]));
    expect(outcomes.filter(({ asked, code }) => asked === 'sold' && code === 200)).toHaveLength(25);
    expect(await (await get(path)).json()).toMatchObject({ status: 'sold' });
  });

  it('and removals remove it once', async () => {
    const path = await add();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 4 === 3 ? remove(path) : patch(path, `{"name":"name ${n}"}`))),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
    expect((await get(path)).status).toBe(404);
  });
});
