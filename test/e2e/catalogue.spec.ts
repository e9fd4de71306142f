import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp();
  key = await service.key();
});
afterAll(() => service.stop());

async function add(body: string): Promise<{ id: number; text: string }> {
  const answer = await service.post('/v1/pets', key, body);
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status: 201 });
  return { id: (JSON.parse(text) as { id: number }).id, text };
}

async function error(answer: Response): Promise<{ status: number; code: string; message: string }> {
  const body = (await answer.json()) as { code: string; message: string; status: number };
  expect(Object.keys(body).toSorted()).toEqual(['code', 'message', 'status']);
  expect(body.status).toBe(answer.status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  return body;
}

describe('createPet', () => {
  it('answers 201 with the new animal and where it lies', async () => {
    const answer = await service.post('/v1/pets', key, '{"name":"Bella","categoryId":3,"status":"available"}');
    const animal = (await answer.json()) as { id: number };
    expect(answer.status).toBe(201);
    expect(animal).toEqual({ id: animal.id, name: 'Bella', categoryId: 3, status: 'available' });
    expect(answer.headers.get('location')).toBe(`/v1/pets/${animal.id}`);
  });

  it('leaves an omitted status absent, in the answer and afterwards', async () => {
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

  it.each(['9223372036854775808', '-9223372036854775809', '1.5', '1.0000000000000000000001', '1e400', '1e-400', '"1"', 'null', 'true', '[1]', '1e99999999'])(
    'refuses the category %s',
    async (sent) => {
      const refusal = await error(await service.post('/v1/pets', key, `{"name":"x","categoryId":${sent}}`));
      expect(refusal).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining('categoryId must be') });
    },
  );

  it.each([
    ['a name in emoji', '😀'.repeat(255)],
    ['a name of one character', 'x'],
    ['a name with spaces around', '  x '],
    ['a family with joiners', '👩‍👩‍👧‍👦'],
    ['right-to-left text', 'كلب'],
    ['SQL', "Robert'); DROP TABLE pets;--"],
    ['__proto__', '__proto__'],
  ])('keeps %s as it was sent', async (_, name) => {
    const { id } = await add(JSON.stringify({ name, categoryId: 1 }));
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toEqual({ id, name, categoryId: 1 });
  });

  it.each([
    ['empty', '""'],
    ['white space', '" \\u2003\\u00a0 "'],
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
    const refusal = await error(await service.post('/v1/pets', key, `{"name":${name},"categoryId":1}`));
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining('name must be') });
  });

  it.each([
    ['{"categoryId":1}', 'name must be'],
    ['{"name":"x"}', 'categoryId must be'],
    ['{}', 'name must be'],
    ['{"name":"x","categoryId":1,"status":null}', 'status must be'],
    ['{"name":"x","categoryId":1,"status":"Available"}', 'status must be'],
    ['{"name":"x","categoryId":1,"id":5}', '"id" is not a known field'],
    ['{"name":"x","categoryId":1,"constructor":1}', '"constructor" is not a known field'],
    ['{"name":"x","categoryId":1,"__proto__":{"a":1}}', '"__proto__" is not a known field'],
    ['{"name":"x","categoryId":1,"toString":1}', '"toString" is not a known field'],
    ['[]', 'must be a JSON object'],
    ['"x"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
  ])('refuses %s', async (body, message) => {
    const refusal = await error(await service.post('/v1/pets', key, body));
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed', message: expect.stringContaining(message) });
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
  ])('calls %s malformed JSON', async (_, body) => {
    expect(await error(await service.post('/v1/pets', key, body))).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it('calls invalid UTF-8 malformed JSON', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","categoryId":1}')]);
    const headers = { 'Content-Type': 'application/json' };
    const answer = await service.request('/v1/pets', { key, method: 'POST', headers, body });
    expect(await error(answer)).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'application/jsonx', 'application/vnd.api+json'])(
    'refuses the media type %s',
    async (type) => {
      const answer = await service.request('/v1/pets', { key, method: 'POST', headers: { 'Content-Type': type }, body: '{}' });
      expect(await error(answer)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])('takes the media type %s', async (type) => {
    const body = '{"name":"x","categoryId":1}';
    const answer = await service.request('/v1/pets', { key, method: 'POST', headers: { 'Content-Type': type }, body });
    expect(answer.status).toBe(201);
  });

  it('refuses a content encoding', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const answer = await service.request('/v1/pets', { key, method: 'POST', headers, body: '{}' });
    expect(await error(answer)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('takes a body of 16 KiB, and not a byte more', async () => {
    const body = '{"name":"x","categoryId":1}'.padEnd(16_384, ' ');
    expect((await service.post('/v1/pets', key, body)).status).toBe(201);
    expect(await error(await service.post('/v1/pets', key, `${body} `))).toMatchObject({ status: 413, code: 'payload_too_large' });
  });
});

describe('listPets', () => {
  let listed: TestApp;
  let listKey: string;

  beforeAll(async () => {
    listed = await startApp();
    listKey = await listed.key();
    for (let n = 1; n <= 45; n += 1) {
      const status = [',"status":"available"', ',"status":"sold"', ''][n % 3];
      await listed.post('/v1/pets', listKey, `{"name":"pet ${n}","categoryId":${n}${status}}`);
    }
  });
  afterAll(() => listed.stop());

  const ids = async (query: string) => {
    const answer = await listed.request(`/v1/pets${query}`, { key: listKey });
    return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
  };

  it('answers twenty animals in ascending order unless told otherwise', async () => {
    expect(await ids('')).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await ids('?limit=3')).toEqual([1, 2, 3]);
    expect(await ids('?limit=100')).toHaveLength(45);
  });

  it('filters by status, and an animal without one matches no filter', async () => {
    expect(await ids('?status=available&limit=3')).toEqual([3, 6, 9]);
    expect(await ids('?status=sold&limit=3')).toEqual([1, 4, 7]);
    expect(await ids('?status=pending')).toEqual([]);
  });

  it('leads through all pages by Link, each animal once', async () => {
    const seen: number[] = [];
    let next: string | undefined = '/v1/pets?limit=7&status=sold';
    while (next !== undefined) {
      const answer: Response = await listed.request(next, { key: listKey });
      seen.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => 3 * index + 1));
  });

  it('has no next page after the last one, even when that is full', async () => {
    expect((await listed.request('/v1/pets?limit=45', { key: listKey })).headers.get('link')).toBeNull();
    expect((await listed.request('/v1/pets?limit=44', { key: listKey })).headers.get('link')).toBe('</v1/pets?limit=44&after=44>; rel="next"');
    expect(await ids('?after=9223372036854775807')).toEqual([]);
  });

  it.each([
    'limit=0', 'limit=101', 'limit=-1', 'limit=1e1', 'limit=%205', 'limit=+5', 'limit=05', 'limit=5.0', 'limit=', 'limit=abc', 'limit=0x10', 'limit=%ZZ',
    'limit=5&limit=5', 'limit[]=5', 'status=Available', 'status=', 'status=available,sold', 'status=available&status=sold', 'after=0', 'after=-1', 'after=',
    'after=9223372036854775808', 'after=01', 'offset=1', 'page=2', 'Limit=5', '__proto__=1', 'constructor=1', 'toString=1', 'limit=99999999999999999999',
  ])('refuses ?%s', async (query) => {
    const refusal = await error(await listed.request(`/v1/pets?${query}`, { key: listKey }));
    expect(refusal).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(refusal.message).toContain(query.split(/[=[]/)[0]);
  });
});

describe('getPet', () => {
  it.each(['0', '-1', '+1', '01', '1.0', '1e0', '%201', '1%20', '9223372036854775808', '99999999999999999999', 'abc', '1a', '%00', '%zz', '%ff', '1%2F2', '٣', '0x1', 'x'.repeat(5_000)])(
    'knows no pet %s',
    async (petId) => {
      expect(await error(await service.request(`/v1/pets/${petId}`, { key }))).toMatchObject({ status: 404, code: 'pet_not_found' });
    },
  );

  it('knows no pet that was never added', async () => {
    expect(await error(await service.request('/v1/pets/9223372036854775807', { key }))).toMatchObject({ status: 404, code: 'pet_not_found' });
  });

  it('refuses query parameters, which it has none of', async () => {
    const { id } = await add('{"name":"x","categoryId":1}');
    expect(await error(await service.request(`/v1/pets/${id}?fields=name`, { key }))).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});
