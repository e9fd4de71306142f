import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

const LARGEST = '9223372036854775807';

/** Pets 1 to 30: categories 1, 2 and the largest, statuses available, sold and none, in turn. */
shareApp();
beforeAll(async () => {
  for (let n = 1; n <= 30; n += 1) {
    const category = [LARGEST, '1', '2'][n % 3];
    const status = [',"status":"available"', ',"status":"sold"', '', ''][n % 4];
    await service.post('/v1/pets', key, `{"name":"pet ${n}","categoryId":${category}${status}}`);
  }
});

const list = (query: string, headers: Record<string, string> = {}) =>
  service.request(`/v1/pets?${query}`, { key, headers });

const idsIn = async (response: Response) => ((await response.json()) as { id: number }[]).map(({ id }) => id);
const ids = async (query: string) => idsIn(await list(query));

const multiplesOf = (step: number, rest: number) =>
  Array.from({ length: 30 }, (_, index) => index + 1).filter((n) => n % step === rest);

/** The identifiers of all pages, by following Link. */
async function follow(path: string): Promise<number[]> {
  const response = await service.request(path, { key });
  const [, next] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  const found = await idsIn(response);
  return next === undefined ? found : [...found, ...(await follow(next))];
}

describe('pets of a category', () => {
  it('are filtered alone and with a status, for any int64', async () => {
    expect(await ids('categoryId=1&limit=100')).toEqual(multiplesOf(3, 1));
    expect(await ids(`categoryId=${LARGEST}&limit=100`)).toEqual(multiplesOf(3, 0));
    expect(await ids('categoryId=1&status=sold')).toEqual([1, 13, 25]);
    expect(await ids('categoryId=-5')).toEqual([]);
  });

  it('are listed page by page', async () => {
    expect(await follow('/v1/pets?categoryId=2&limit=4')).toEqual(multiplesOf(3, 2));
    expect(await follow('/v1/pets?categoryId=1&status=sold&limit=2')).toEqual([1, 13, 25]);
    expect(await ids('categoryId=2&after=20')).toEqual([23, 26, 29]);
  });

  it('are current in the response after a change', async () => {
    const added = await service.post('/v1/pets', key, '{"name":"Bella","categoryId":77}');
    const { id } = (await added.json()) as { id: number };
    expect(await ids('categoryId=77')).toEqual([id]);
    const change = { key, method: 'PATCH', body: '{"categoryId":78}', headers: JSON_TYPE };
    await service.request(`/v1/pets/${id}`, change);
    expect(await ids('categoryId=77')).toEqual([]);
    expect(await ids('categoryId=78')).toEqual([id]);
    await service.request(`/v1/pets/${id}`, { key, method: 'DELETE' });
    expect(await ids('categoryId=78')).toEqual([]);
  });
});

describe('pets by their identifiers', () => {
  it('are listed in ascending order, once each, without unknown ones', async () => {
    expect(await ids(`ids=7,3,3,${LARGEST},12`)).toEqual([3, 7, 12]);
    expect(await ids(`ids=${LARGEST}`)).toEqual([]);
  });

  it('combine with the other filters and with paging', async () => {
    expect(await ids('ids=1,2,3,4&status=available')).toEqual([4]);
    expect(await ids('ids=1,2,3,4&categoryId=1')).toEqual([1, 4]);
    expect(await ids('ids=1,2,3,4&after=2')).toEqual([3, 4]);
    expect(await follow('/v1/pets?ids=9,8,7,6,5&limit=2')).toEqual([5, 6, 7, 8, 9]);
    // Simple parsers of Link split it at commas and semicolons.
    const link = (await list('ids=1,2,3,4&limit=2')).headers.get('link');
    expect(link).toBe('</v1/pets?limit=2&ids=1%2C2%2C3%2C4&after=2>; rel="next"');
  });

  it('are limited to a hundred', async () => {
    const many = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(await ids(`ids=${many.join(',')}&limit=100`)).toEqual(many.slice(0, 30));
    expect((await list(`ids=${[...many, 101].join(',')}`)).status).toBe(400);
  });

  it('are accepted in repeated parameters, as some generated clients send them, up to 100 altogether', async () => {
    expect(await ids('ids=7&ids=3&ids=12')).toEqual([3, 7, 12]);
    expect(await ids('ids=1,2&status=available&ids=4&ids=3')).toEqual([4]);
    expect(await follow('/v1/pets?ids=9&ids=8,7&ids=6&limit=2')).toEqual([6, 7, 8, 9]);
    const many = Array.from({ length: 100 }, (_, index) => index + 1);
    const repeated = `ids=${many.join('&ids=')}`;
    expect(await ids(`${repeated}&limit=100`)).toEqual(many.slice(0, 30));
    for (const more of ['101', '101,102'])
      expect((await errorOf(await list(`${repeated}&ids=${more}`))).message).toMatch(/^ids must be 1 to 100 integers/);
  });

  it.each([
    '',
    ',',
    '1,',
    '0',
    '01',
    '-1',
    '1.0',
    '1, 2',
    '9223372036854775808',
    'one',
    '1&ids=',
    '1&ids=2,x',
    '4&status=sold&status=sold',
  ])('are refused as ids=%s', async (text) => {
    expect(await errorOf(await list(`ids=${text}`))).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it('appear in the response after they were created', async () => {
    const last = Math.max(...(await ids('after=29&limit=100')));
    expect(await ids(`ids=${last + 1}`)).toEqual([]);
    const added = await service.post('/v1/pets', key, '{"name":"Luna","categoryId":5}');
    const { id } = (await added.json()) as { id: number };
    expect(await ids(`ids=${id}`)).toEqual([id]);
  });
});

describe('one pet, by its identifier', () => {
  it('has the ETag of getPet, which If-Match accepts', async () => {
    const etag = (await list('ids=10')).headers.get('etag') ?? '';
    expect(etag).toBe((await service.request('/v1/pets/10', { key })).headers.get('etag'));
    expect((await list('ids=10', { 'If-None-Match': etag })).status).toBe(304);
    const change = (name: string) =>
      service.request('/v1/pets/10', {
        key,
        method: 'PATCH',
        body: JSON.stringify({ name }),
        headers: { ...JSON_TYPE, 'If-Match': etag },
      });
    expect((await change('Rex')).status).toBe(200);
    expect((await change('Max')).status).toBe(412);
    const changed = await list('ids=10');
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await changed.json()).toMatchObject([{ id: 10, name: 'Rex' }]);
  });

  it('has another ETag than longer or empty lists', async () => {
    const etags = await Promise.all(
      ['ids=11', 'ids=11,12', `ids=${LARGEST}`].map(async (query) => (await list(query)).headers.get('etag')),
    );
    expect(new Set(etags).size).toBe(3);
  });
});
