import { describe, expect, it } from '@jest/globals';
import { PetsService } from '../../src/pets/index.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { idsFrom, idsIn, nextPage } from '../support/pages.js';

const LARGEST = '9223372036854775807';
const COUNT = 45;

/** Pets 1 to 45: categories 1, 2 and the largest, in turn; available, sold, and twice without a status, in turn. */
let key: string;
sharePreparedApp({}, async () => {
  key = await service.key(AMPLE);
  for (let n = 1; n <= COUNT; n += 1) {
    const category = [LARGEST, '1', '2'][n % 3];
    const status = [',"status":"available"', ',"status":"sold"', '', ''][n % 4];
    await service.post('/v1/pets', key, `{"name":"pet ${n}","categoryId":${category}${status}}`);
  }
});

const read = (path: string) => service.request(path, { key });
const list = (query: string) => read(`/v1/pets?${query}`);
const ids = async (query: string) => idsIn(await list(query));

/** The pets whose number has a remainder. */
const every = (step: number, remainder: number) =>
  Array.from({ length: COUNT }, (_, index) => index + 1).filter((n) => n % step === remainder);

describe('listPets', () => {
  it('returns twenty pets in ascending order of id by default', async () => {
    expect(await ids('')).toEqual(every(1, 0).slice(0, 20));
    expect(await ids('limit=3')).toEqual([1, 2, 3]);
    expect(await ids('limit=100')).toEqual(every(1, 0));
  });

  it('filters by status; a pet without a status matches no filter', async () => {
    expect(await ids('status=available&limit=3')).toEqual([4, 8, 12]);
    expect(await ids('status=sold&limit=100')).toEqual(every(4, 1));
    expect(await ids('status=pending')).toEqual([]);
  });

  it('filters by category, any int64, alone and with a status', async () => {
    expect(await ids('categoryId=1&limit=100')).toEqual(every(3, 1));
    expect(await ids(`categoryId=${LARGEST}&limit=100`)).toEqual(every(3, 0));
    expect(await ids('categoryId=1&status=sold')).toEqual(every(12, 1));
    expect(await ids('categoryId=-5')).toEqual([]);
    expect(await ids('categoryId=2&after=38')).toEqual([41, 44]);
  });

  it.each([
    ['limit=7&status=sold', every(4, 1)],
    ['limit=4&categoryId=2', every(3, 2)],
    ['limit=2&categoryId=1&status=sold', every(12, 1)],
    ['limit=2&ids=9,8,7,6,5', [5, 6, 7, 8, 9]],
    ['limit=2&ids=9&ids=8,7&ids=6', [6, 7, 8, 9]],
  ])('links all pages of ?%s, with each pet once', async (query, expected) => {
    expect(await idsFrom(`/v1/pets?${query}`, read)).toEqual(expected);
  });

  it('has no next page after the last one, even if that is full', async () => {
    expect((await list(`limit=${COUNT}`)).headers.get('link')).toBeNull();
    expect(nextPage(await list(`limit=${COUNT - 1}`))).toBe(`/v1/pets?limit=${COUNT - 1}&after=${COUNT - 1}`);
    expect(await ids(`after=${LARGEST}`)).toEqual([]);
  });

  it.each([
    ...['0', '101', '-1', '1e1', '%205', '+5', '05', '5.0', '', 'abc', '0x10', '%ZZ', '5&limit=5', '9'.repeat(20)].map(
      (limit) => `limit=${limit}`,
    ),
    'limit[]=5',
    ...['Available', '', 'available,sold', 'available&status=sold'].map((status) => `status=${status}`),
    ...['0', '-1', '', '9223372036854775808', '01'].map((after) => `after=${after}`),
    'offset=1',
    'Limit=5',
    '__proto__=1',
    'constructor=1',
    'toString=1',
  ])('refuses ?%s', async (query) => {
    const refusal = await errorOf(await list(query));
    expect(refusal.code).toBe('validation_failed');
    expect(refusal.message).toContain(query.split(/[=[]/)[0]);
  });
});

describe('listPets by identifiers', () => {
  it('returns them in ascending order, once each, without unknown ones', async () => {
    expect(await ids(`ids=7,3,3,${LARGEST},12`)).toEqual([3, 7, 12]);
    expect(await ids(`ids=${LARGEST}`)).toEqual([]);
  });

  it('combines them with the other filters and with paging', async () => {
    expect(await ids('ids=1,2,3,4&status=available')).toEqual([4]);
    expect(await ids('ids=1,2,3,4&categoryId=1')).toEqual([1, 4]);
    expect(await ids('ids=1,2,3,4&after=2')).toEqual([3, 4]);
    // Simple parsers of Link split it at commas and semicolons.
    expect(nextPage(await list('ids=1,2,3,4&limit=2'))).toBe('/v1/pets?limit=2&ids=1%2C2%2C3%2C4&after=2');
  });

  it.each([',', '&ids='])('accepts a hundred, separated by %s', async (separator) => {
    const many = Array.from({ length: 100 }, (_, index) => index + 1).join(separator);
    expect(await ids(`ids=${many}&limit=100`)).toEqual(every(1, 0));
    for (const more of [',101', '&ids=101', '&ids=101,102'])
      expect((await errorOf(await list(`ids=${many}${more}`))).message).toMatch(/^ids must be 1 to 100 integers/);
  });

  it.each([
    ...', 1, 0 01 -1 1.0 9223372036854775808 one 1&ids= 1&ids=2,x 4&status=sold&status=sold'.split(' '),
    '',
    '1, 2',
  ])('refuses ids=%s', async (text) => {
    expect(await refusalOf(list(`ids=${text}`))).toBe('400 validation_failed');
  });
});

describe('getPet', () => {
  it.each([
    ...'0 -1 +1 01 1.0 1e0 %201 1%20 9223372036854775808 abc 1a %00 %zz %ff 1%2F2 ٣ 0x1'.split(' '),
    LARGEST,
    '9'.repeat(20),
    'x'.repeat(5_000),
  ])('returns 404 for the pet %s', async (petId) => {
    expect(await refusalOf(read(`/v1/pets/${petId}`))).toBe('404 pet_not_found');
  });

  it('returns to each of many concurrent requests its own pet, or 404', async () => {
    const asked = Array.from({ length: 90 }, (_, index) => (index % 9 === 8 ? 1_000 + index : 1 + (index % COUNT)));
    const responses = await Promise.all(asked.map((id) => read(`/v1/pets/${id}`)));
    const found = responses.map(async (response) => (await response.json()) as { id?: number; status: number });
    const expected = asked.map((id) => expect.objectContaining(id > 1_000 ? { status: 404 } : { id }));
    expect(await Promise.all(found)).toEqual(expected);
  });

  it('returns the right pets beside concurrent requests with invalid identifiers', async () => {
    const pets = service.app.get(PetsService);
    const outcomes = await Promise.allSettled(['abc', '9223372036854775808', '1'].map((id) => pets.get(id)));
    const notFound = { status: 'rejected', reason: { code: 'pet_not_found' } };
    expect(outcomes).toMatchObject([notFound, notFound, { status: 'fulfilled', value: { id: 1 } }]);
  });
});

describe('a list of pets', () => {
  it('is current in the response after each write', async () => {
    const last = Math.max(...(await ids('limit=100')));
    expect(await ids(`ids=${last + 1}`)).toEqual([]);
    expect(await ids('categoryId=77')).toEqual([]);
    const { body } = await service.json<{ id: number }>('/v1/pets', { key, body: { name: 'Bella', categoryId: 77 } });
    expect([await ids('categoryId=77'), await ids(`ids=${last + 1}`)]).toEqual([[body.id], [last + 1]]);
    const path = `/v1/pets/${body.id}`;
    await service.json(path, { key, method: 'PATCH', body: { categoryId: 78 } });
    expect([await ids('categoryId=77'), await ids('categoryId=78')]).toEqual([[], [body.id]]);
    await service.request(path, { key, method: 'DELETE' });
    expect(await ids('categoryId=78')).toEqual([]);
  });

  it('of one identifier has the ETag of getPet, which If-Match accepts', async () => {
    const etag = (await list('ids=10')).headers.get('etag') ?? '';
    expect(etag).toBe((await read('/v1/pets/10')).headers.get('etag'));
    const change = { key, method: 'PATCH', body: { name: 'Rex' }, headers: { 'If-Match': etag } };
    expect((await service.json('/v1/pets/10', change)).status).toBe(200);
    const changed = await list('ids=10');
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await changed.json()).toMatchObject([{ id: 10, name: 'Rex' }]);
  });

  it('has an ETag of its own if it is longer or empty', async () => {
    const lists = await Promise.all(['ids=11', 'ids=11,12', `ids=${LARGEST}`].map(list));
    expect(new Set(lists.map(({ headers }) => headers.get('etag'))).size).toBe(3);
  });
});
