import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';

shareApp({}, AMPLE);

const create = (body: string) => service.post('/v1/pets', key, body);

async function add(body: string): Promise<{ id: number; text: string }> {
  const response = await create(body);
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 201 });
  return { id: (JSON.parse(text) as { id: number }).id, text };
}

/** Why a body is invalid. */
async function faultOf(body: string): Promise<string> {
  const { code, message } = await errorOf(await create(body));
  expect({ code, message }).toMatchObject({ code: 'validation_failed' });
  return message;
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
    const { id, text } = await add(`{"name":"x","categoryId":${sent}}`);
    expect(text).toBe(`{"id":${id},"name":"x","categoryId":${kept}}`);
    expect(await (await service.request(`/v1/pets/${id}`, { key })).text()).toBe(text);
    const page = await (await service.request(`/v1/pets?after=${id - 1}&limit=1`, { key })).text();
    expect(page).toBe(`[${text}]`);
  });

  it.each(['-9223372036854775809', '1.0000000000000000000001', '1e400', '1e-400', '[1]', '1e99999999'])(
    'refuses the category %s',
    async (sent) => {
      expect(await faultOf(`{"name":"x","categoryId":${sent}}`)).toMatch(/^categoryId must be/);
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
    const { id } = await add(JSON.stringify({ name, categoryId: 1 }));
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toEqual({ id, name, categoryId: 1 });
  });

  it.each([
    ['white space', '" \\u2003\\u00a0 "'],
    ['256 characters', JSON.stringify('x'.repeat(256))],
    ['256 emoji', JSON.stringify('😀'.repeat(256))],
    ['a NUL', '"a\\u0000b"'],
    ['a lone surrogate', '"a\\ud800b"'],
  ])('refuses a name that is %s', async (_, name) => {
    const fault = await faultOf(`{"name":${name},"categoryId":1}`);
    expect(fault).toMatch(/^name must (?:be a string, not|have 1 to 255)/);
  });

  it.each([
    ['{"name":"x","categoryId":1,"constructor":1}', '"constructor" is not a known field'],
    ['{"name":"x","categoryId":1,"__proto__":{"a":1}}', '"__proto__" is not a known field'],
    ['"x"', 'must be a JSON object'],
  ])('refuses %s', async (body, message) => {
    expect(await faultOf(body)).toContain(message);
  });
});
