import { beforeAll, describe, expect, it } from '@jest/globals';
import { PetsService } from '../../src/pets/index.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';

let key: string;
sharePreparedApp({}, async () => {
  key = await service.key();
});

const ids = async (query: string) => {
  const response = await service.request(`/v1/pets${query}`, { key });
  return ((await response.json()) as { id: number }[]).map(({ id }) => id);
};

describe('listPets', () => {
  beforeAll(async () => {
    for (let n = 1; n <= 45; n += 1) {
      const status = [',"status":"available"', ',"status":"sold"', ''][n % 3];
      await service.post('/v1/pets', key, `{"name":"pet ${n}","categoryId":${n}${status}}`);
    }
  });

  it('returns twenty pets in ascending order of id by default', async () => {
    expect(await ids('')).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await ids('?limit=3')).toEqual([1, 2, 3]);
    expect(await ids('?limit=100')).toHaveLength(45);
  });

  it('filters by status; a pet without a status matches no filter', async () => {
    expect(await ids('?status=available&limit=3')).toEqual([3, 6, 9]);
    expect(await ids('?status=sold&limit=3')).toEqual([1, 4, 7]);
    expect(await ids('?status=pending')).toEqual([]);
  });

  it('links all pages, with each pet once', async () => {
    const seen: number[] = [];
    let next: string | undefined = '/v1/pets?limit=7&status=sold';
    while (next !== undefined) {
      const response: Response = await service.request(next, { key });
      seen.push(...((await response.json()) as { id: number }[]).map(({ id }) => id));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => 3 * index + 1));
  });

  it('has no next page after the last one, even if that is full', async () => {
    expect((await service.request('/v1/pets?limit=45', { key })).headers.get('link')).toBeNull();
    expect((await service.request('/v1/pets?limit=44', { key })).headers.get('link')).toBe(
      '</v1/pets?limit=44&after=44>; rel="next"',
    );
    expect(await ids('?after=9223372036854775807')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1e1',
    'limit=%205',
    'limit=+5',
    'limit=05',
    'limit=5.0',
    'limit=',
    'limit=abc',
    'limit=0x10',
    'limit=%ZZ',
    'limit=5&limit=5',
    'limit[]=5',
    'status=Available',
    'status=',
    'status=available,sold',
    'status=available&status=sold',
    'after=0',
    'after=-1',
    'after=',
    'after=9223372036854775808',
    'after=01',
    'offset=1',
    'page=2',
    'Limit=5',
    '__proto__=1',
    'constructor=1',
    'toString=1',
    'limit=99999999999999999999',
  ])('refuses ?%s', async (query) => {
    const refusal = await errorOf(await service.request(`/v1/pets?${query}`, { key }));
    expect(refusal).toMatchObject(INVALID);
    expect(refusal.message).toContain(query.split(/[=[]/)[0]);
  });
});

const INVALID = { status: 400, code: 'validation_failed' };
const NOT_FOUND = { status: 404, code: 'pet_not_found' };

describe('getPet', () => {
  it.each([
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e0',
    '%201',
    '1%20',
    '9223372036854775808',
    '99999999999999999999',
    'abc',
    '1a',
    '%00',
    '%zz',
    '%ff',
    '1%2F2',
    '٣',
    '0x1',
    'x'.repeat(5_000),
  ])('returns 404 for the pet %s', async (petId) => {
    expect(await errorOf(await service.request(`/v1/pets/${petId}`, { key }))).toMatchObject(NOT_FOUND);
  });

  it('returns 404 for a pet that was never created', async () => {
    expect(await errorOf(await service.request('/v1/pets/9223372036854775807', { key }))).toMatchObject(NOT_FOUND);
  });

  it('returns to each of many concurrent requests its own pet, or 404', async () => {
    const asked = Array.from({ length: 90 }, (_, index) => (index % 9 === 8 ? 1_000 + index : 1 + (index % 45)));
    const responses = await Promise.all(asked.map((id) => service.request(`/v1/pets/${id}`, { key })));
    expect(
      await Promise.all(
        responses.map(async (response) =>
          response.status === 200 ? ((await response.json()) as { id: number }).id : response.status,
        ),
      ),
    ).toEqual(asked.map((id) => (id < 1_000 ? id : 404)));
  });

  it('returns the right pets beside concurrent requests with invalid identifiers', async () => {
    const pets = service.app.get(PetsService);
    const [wrong, tooLarge, known] = await Promise.allSettled([
      pets.get('abc'),
      pets.get('9223372036854775808'),
      pets.get('1'),
    ]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'pet_not_found' } });
    expect(tooLarge).toMatchObject({ status: 'rejected', reason: { code: 'pet_not_found' } });
    expect(known).toMatchObject({ status: 'fulfilled', value: { id: 1 } });
  });

  it('refuses query parameters', async () => {
    expect(await errorOf(await service.request('/v1/pets/1?fields=name', { key }))).toMatchObject(INVALID);
  });
});
