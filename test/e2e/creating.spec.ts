import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

shareApp();

const create = (body: string | Buffer, headers: Record<string, string>) =>
  service.request('/v1/pets', { key, method: 'POST', headers, body });

const invalid = (message: unknown) => ({ status: 400, code: 'validation_failed', message });
const MALFORMED = { status: 400, code: 'malformed_json' };
const UNSUPPORTED = { status: 415, code: 'unsupported_media_type' };

async function add(body: string): Promise<{ id: number; text: string }> {
  const response = await service.post('/v1/pets', key, body);
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 201 });
  return { id: (JSON.parse(text) as { id: number }).id, text };
}

describe('createPet', () => {
  it('returns 201 with the new pet and its Location', async () => {
    const response = await service.post('/v1/pets', key, '{"name":"Bella","categoryId":3,"status":"available"}');
    const pet = (await response.json()) as { id: number };
    expect(response.status).toBe(201);
    expect(pet).toEqual({ id: pet.id, name: 'Bella', categoryId: 3, status: 'available' });
    expect(response.headers.get('location')).toBe(`/v1/pets/${pet.id}`);
  });

  it('keeps an omitted status absent, in the response and later', async () => {
    const { id, text } = await add('{"name":"Nala","categoryId":1}');
    expect(text).toBe(`{"id":${id},"name":"Nala","categoryId":1}`);
    expect(await (await service.request(`/v1/pets/${id}`, { key })).text()).toBe(text);
  });

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['5.0', '5'],
    ['1e2', '100'],
    ['-0', '0'],
    ['922337203685477580.7e1', '9223372036854775807'],
  ])('keeps the category %s exactly', async (sent, kept) => {
    const { id, text } = await add(`{"name":"x","categoryId":${sent}}`);
    expect(text).toBe(`{"id":${id},"name":"x","categoryId":${kept}}`);
    expect(await (await service.request(`/v1/pets/${id}`, { key })).text()).toBe(text);
    const page = await (await service.request(`/v1/pets?after=${id - 1}&limit=1`, { key })).text();
    expect(page).toBe(`[${text}]`);
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1.5',
    '1.0000000000000000000001',
    '1e400',
    '1e-400',
    '"1"',
    'null',
    'true',
    '[1]',
    '1e99999999',
  ])('refuses the category %s', async (sent) => {
    expect(await errorOf(await service.post('/v1/pets', key, `{"name":"x","categoryId":${sent}}`))).toMatchObject(
      invalid(expect.stringContaining('categoryId must be')),
    );
  });

  it.each([
    ['a name in emoji', '😀'.repeat(255)],
    ['a name of one character', 'x'],
    ['a name with spaces around', '  x '],
    ['a family with joiners', '👩‍👩‍👧‍👦'],
    ['right-to-left text', 'كلب'],
    ['SQL', "Robert'); DROP TABLE pets;--"],
    ['__proto__', '__proto__'],
  ])('keeps %s exactly', async (_, name) => {
    const { id } = await add(JSON.stringify({ name, categoryId: 1 }));
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toEqual({ id, name, categoryId: 1 });
  });

  it.each([
    ['empty', '""'],
    ['white space', '" \\u2003\\u00a0 "'],
    ['a zero-width space', '"\\u200b"'],
    ['a Hangul filler', '"\\u3164"'],
    ['tags', JSON.stringify('\u{e0041}')],
    ['256 characters', JSON.stringify('x'.repeat(256))],
    ['256 emoji', JSON.stringify('😀'.repeat(256))],
    ['a NUL', '"a\\u0000b"'],
    ['a line feed', '"a\\nb"'],
    ['a C1 control', '"a\\u0085b"'],
    ['a lone surrogate', '"a\\ud800b"'],
    ['a number', '5'],
    ['null', 'null'],
    ['a list', '["x"]'],
  ])('refuses a name that is %s', async (_, name) => {
    expect(await errorOf(await service.post('/v1/pets', key, `{"name":${name},"categoryId":1}`))).toMatchObject(
      invalid(expect.stringMatching(/^name must (?:be a string, not|have 1 to 255)/)),
    );
  });

  it.each([
    ['{"categoryId":1}', 'name is required'],
    ['{"name":"x"}', 'categoryId is required'],
    ['{}', 'name is required; categoryId is required'],
    ['{"name":"x","categoryId":1,"status":null}', 'status must be'],
    ['{"name":"x","categoryId":1,"status":"Available"}', 'status must be'],
    ['{"name":"x","categoryId":1,"id":5}', '"id" is not a known field'],
    ['{"name":"x","categoryId":1,"constructor":1}', '"constructor" is not a known field'],
    ['{"name":{"constructor":1},"categoryId":1}', '"constructor" is not a known field'],
    ['{"name":[{"constructor":{}}],"categoryId":1}', '"constructor" is not a known field'],
    ['{"name":"x","categoryId":1,"__proto__":{"a":1}}', '"__proto__" is not a known field'],
    ['{"name":"x","categoryId":1,"toString":1}', '"toString" is not a known field'],
    ['{"name":"x","categoryId":1,"name":"y"}', '"name" must be given only once'],
    ['{"name":"x","categoryId":1,"na\\u006de":"x"}', '"name" must be given only once'],
    ['[]', 'must be a JSON object'],
    ['"x"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
  ])('refuses %s', async (body, message) => {
    expect(await errorOf(await service.post('/v1/pets', key, body))).toMatchObject(
      invalid(expect.stringContaining(message)),
    );
  });

  it.each([
    ['nothing', ''],
    ['white space', '  '],
    ['half an object', '{"name":'],
    ['a trailing comma', '{"name":"x","categoryId":1,}'],
    ['two texts', '{"name":"x","categoryId":1}{}'],
    ['NaN', '{"name":"x","categoryId":NaN}'],
    ['a byte-order mark', '\ufeff{"name":"x","categoryId":1}'],
    ['8,000 levels', '['.repeat(8_000) + ']'.repeat(8_000)],
  ])('returns malformed_json for %s', async (_, body) => {
    expect(await errorOf(await service.post('/v1/pets', key, body))).toMatchObject(MALFORMED);
  });

  it('returns malformed_json for invalid UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","categoryId":1}')]);
    expect(await errorOf(await create(body, JSON_TYPE))).toMatchObject(MALFORMED);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/vnd.api+json',
  ])('refuses the media type %s', async (type) => {
    expect(await errorOf(await create('{}', { 'Content-Type': type }))).toMatchObject(UNSUPPORTED);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])(
    'accepts the media type %s',
    async (type) => {
      expect((await create('{"name":"x","categoryId":1}', { 'Content-Type': type })).status).toBe(201);
    },
  );

  it('refuses a content encoding', async () => {
    const response = await create('{}', { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
    expect(await errorOf(response)).toMatchObject(UNSUPPORTED);
  });

  it('accepts a body of 16 KiB, and refuses one byte more', async () => {
    const body = '{"name":"x","categoryId":1}'.padEnd(16_384, ' ');
    expect((await service.post('/v1/pets', key, body)).status).toBe(201);
    expect(await errorOf(await service.post('/v1/pets', key, `${body} `))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });
});
