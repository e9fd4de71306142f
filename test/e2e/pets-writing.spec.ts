import { describe, expect, it } from '@jest/globals';
import { PetsService } from '../../src/pets/index.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

shareApp({}, AMPLE);

const STATUSES = ['available', 'pending', 'sold', null] as const;
type Status = (typeof STATUSES)[number];

/** Path of a new pet. */
async function add(status: Status = 'available'): Promise<string> {
  const body = { name: 'Bella', categoryId: 7, ...(status === null ? {} : { status }) };
  return (await service.post('/v1/pets', key, body)).headers.get('location') ?? '';
}

const get = (path: string) => service.request(path, { key });
const petAt = async (path: string) => (await get(path)).json();
const patch = (path: string, body: string) => service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body });
const remove = (path: string) => service.request(path, { key, method: 'DELETE' });
const idIn = (path: string) => path.slice('/v1/pets/'.length);

const NOT_FOUND = '404 pet_not_found';
const IN_ORDER = '409 pet_in_order';

/** Lets an order hold a pet, or ends it. */
const order = (method: 'reserve' | 'release' | 'sell', path: string) =>
  service.app.get(PetsService)[method](idIn(path));

const create = (body: string) => service.post('/v1/pets', key, body);

async function created(body: string): Promise<{ id: number; text: string }> {
  const response = await create(body);
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 201 });
  return { id: (JSON.parse(text) as { id: number }).id, text };
}

describe('createPet', () => {
  it('returns 201 with the new pet and its Location', async () => {
    const response = await create('{"name":"Bella","categoryId":3,"status":"available"}');
    const pet = (await response.json()) as { id: number };
    expect(response.status).toBe(201);
    expect(pet).toEqual({ id: pet.id, name: 'Bella', categoryId: 3, status: 'available' });
    expect(response.headers.get('location')).toBe(`/v1/pets/${pet.id}`);
  });

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['5.0', '5'],
    ['1e2', '100'],
    ['-0', '0'],
    ['922337203685477580.7e1', '9223372036854775807'],
  ])('keeps the category %s exactly, and an omitted status absent', async (sent, kept) => {
    const { id, text } = await created(`{"name":"x","categoryId":${sent}}`);
    expect(text).toBe(`{"id":${id},"name":"x","categoryId":${kept}}`);
    expect(await (await service.request(`/v1/pets/${id}`, { key })).text()).toBe(text);
    const page = await (await service.request(`/v1/pets?after=${id - 1}&limit=1`, { key })).text();
    expect(page).toBe(`[${text}]`);
  });

  it.each(['-9223372036854775809', '1.0000000000000000000001', '1e400', '1e-400', '[1]', '1e99999999'])(
    'refuses the category %s',
    async (sent) => {
      const refusal = { code: 'validation_failed', message: expect.stringMatching(/^categoryId must be/) };
      expect(await errorOf(await create(`{"name":"x","categoryId":${sent}}`))).toMatchObject(refusal);
    },
  );

  it.each([
    ['emoji', '😀'.repeat(255)],
    ['one character', 'x'],
    ['spaces around', '  x '],
    ['a family with joiners', '👩‍👩‍👧‍👦'],
    ['right-to-left text', 'كلب'],
    ['SQL', "Robert'); DROP TABLE pets;--"],
    ['__proto__', '__proto__'],
  ])('keeps a name exactly: %s', async (_, name) => {
    const { id } = await created(JSON.stringify({ name, categoryId: 1 }));
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toEqual({ id, name, categoryId: 1 });
  });
});

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
    ['{"categoryId":null}', 'categoryId must be'],
    ['{"categoryId":1.5}', 'categoryId must be'],
    ['{"status":["sold"]}', 'status must be'],
    ['{"id":5}', '"id" is not a known field'],
    ['{"held":0}', '"held" is not a known field'],
    ['null', 'must be a JSON object'],
  ])('refuses %s', async (body, message) => {
    const path = await add();
    const refusal = { status: 400, code: 'validation_failed', message: expect.stringContaining(message) };
    expect(await errorOf(await patch(path, body))).toMatchObject(refusal);
    expect(await petAt(path)).toMatchObject({ name: 'Bella', categoryId: 7, status: 'available' });
  });
});

it.each(['0', '01', '-1', '9223372036854775807', '9223372036854775808', 'x'])(
  'changePet and removePet return 404 for the pet %s',
  async (petId) => {
    expect(await refusalOf(patch(`/v1/pets/${petId}`, '{}'))).toBe(NOT_FOUND);
    expect(await refusalOf(remove(`/v1/pets/${petId}`))).toBe(NOT_FOUND);
  },
);

it.each(STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const)))(
  'a status that is %s can become %s unless it is sold',
  async (from, to) => {
    const path = await add(from);
    const response = await patch(path, JSON.stringify({ name: 'Bello', status: to }));
    const { code } = (await response.json()) as { code?: string };
    const isFinal = from === 'sold' && to !== 'sold';
    expect([response.status, code]).toEqual(isFinal ? [409, 'invalid_status_transition'] : [200, undefined]);
    const { name, status = null } = (await petAt(path)) as { name: string; status?: Status };
    expect([name, status]).toEqual(isFinal ? ['Bella', from] : ['Bello', to]);
  },
);

describe('a pet that an order reserves', () => {
  it.each([['available'], ['sold'], [null]])('cannot become %s by changePet, and not be removed', async (status) => {
    const path = await add();
    await order('reserve', path);
    expect(await refusalOf(patch(path, JSON.stringify({ status })))).toBe(IN_ORDER);
    expect(await refusalOf(remove(path))).toBe(IN_ORDER);
    expect(await petAt(path)).toMatchObject({ status: 'pending' });
  });

  it('accepts another name, another category and its current status', async () => {
    const path = await add();
    await order('reserve', path);
    expect((await patch(path, '{"name":"Bello","categoryId":8,"status":"pending"}')).status).toBe(200);
    await order('sell', path);
    expect(await petAt(path)).toMatchObject({ name: 'Bello', categoryId: 8, status: 'sold' });
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
    for (const again of [get(path), remove(path), patch(path, '{}')]) expect(await refusalOf(again)).toBe(NOT_FOUND);
    expect(await petAt(`/v1/pets?after=${Number(idIn(path)) - 1}`)).toEqual([]);
  });

  it('never reuses the identifier', async () => {
    const path = await add();
    await remove(path);
    expect(Number(idIn(await add()))).toBeGreaterThan(Number(idIn(path)));
  });
});
