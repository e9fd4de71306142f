import { Controller, Get, Header, Module, ServiceUnavailableException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Public } from '../../src/index.js';
import { startApp, trio } from '../support/app.js';
import { expectTrio, refusalOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { addHandlers, throwing } from '../support/handlers.js';
import { JSON_TYPE } from '../support/http.js';

@Controller('cached')
class CachedController {}

const failing = throwing(() => new ServiceUnavailableException('busy'));
addHandlers(CachedController, {
  shared: [Get('shared'), Public(), Header('cache-control', 'public, max-age=60'), failing],
  secret: [Get('secret'), Public(), Header('cache-control', 'private, no-store'), failing],
});

@Module({ controllers: [CachedController] })
class CachedModule {}

let key: string;
sharePreparedApp({ extensions: [{ module: CachedModule }] }, async () => {
  key = await service.key(AMPLE);
  for (let n = 1; n <= 3; n += 1) await add();
});

type Headers = Record<string, string>;

const add = (status = 'available') => service.post('/v1/pets', key, { name: 'Bella', categoryId: 1, status });
const newPet = async (status?: string) => (await add(status)).headers.get('location') ?? '';
const read = (path: string, headers: Headers = {}, method = 'GET') => service.request(path, { key, method, headers });
const patch = (path: string, body: string, headers: Headers) =>
  service.request(path, { key, method: 'PATCH', headers: { ...JSON_TYPE, ...headers }, body });
const remove = (path: string, headers: Headers) => read(path, headers, 'DELETE');
const etagOf = async (path: string) => (await read(path)).headers.get('etag') ?? '';
const statusTo = async (path: string, condition: string) => (await read(path, { 'If-None-Match': condition })).status;

const FAILED = '412 precondition_failed';

/** Of headers that are about the response, not about its body or the connection. */
function namesOf({ headers }: Response): string[] {
  return [...headers.keys()].filter(
    (name) => !['content-type', 'content-length', 'connection', 'keep-alive'].includes(name),
  );
}

describe.each(['/v1/pets/1', '/v1/pets', '/v1/pets?limit=2'])('a response that the client has: %s', (path) => {
  it('has a strong ETag, which is the same each time and for HEAD', async () => {
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(await etagOf(path)).toBe(etag);
    expect((await read(path, {}, 'HEAD')).headers.get('etag')).toBe(etag);
  });

  it.each(['GET', 'HEAD'])('returns 304 to %s without a body and its headers, and uses quota', async (method) => {
    const whole = await read(path);
    const etag = whole.headers.get('etag') ?? '';
    const response = await read(path, { 'If-None-Match': etag }, method);
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(namesOf(response)).toEqual(namesOf(whole));
    // To a HEAD, they are those of the body that a 200 would have (RFC 9110, section 8.6).
    for (const name of ['content-type', 'content-length'])
      expect(response.headers.get(name)).toBe(method === 'HEAD' ? whole.headers.get(name) : null);
    expectTrio(response);
    expect(trio(response).remaining).toBe(Number(trio(whole).remaining) - 1);
    expect(response.headers.get('etag')).toBe(etag);
  });

  it('returns 304 to a list with the ETag, weak or not, and to *, and else is complete', async () => {
    const etag = await etagOf(path);
    for (const condition of [`"other", ${etag}`, `W/${etag}`, '*']) expect(await statusTo(path, condition)).toBe(304);
    const body = await (await read(path)).text();
    for (const condition of ['"other"', `${etag} x`, `*, ${etag}`, `"other" ${etag}`, '']) {
      const response = await read(path, { 'If-None-Match': condition });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(await response.text()).toBe(body);
    }
  });
});

describe.each(['/v1/pets/1', '/v1/pets', '/v1/pets?limit=2', '/v1/categories', '/openapi.json', '/docs'])(
  'If-Match of a GET or HEAD: %s',
  (path) => {
    it.each(['GET', 'HEAD'])('of %s holds if it names the ETag, and comes before If-None-Match', async (method) => {
      const etag = await etagOf(path);
      for (const list of [etag, `"other", ${etag}`, '*'])
        expect((await read(path, { 'If-Match': list }, method)).status).toBe(200);
      expect((await read(path, { 'If-Match': etag, 'If-None-Match': etag }, method)).status).toBe(304);
      const same = await read(path, { 'If-None-Match': '*', 'Accept-Encoding': 'gzip' }, method);
      expect([same.status, same.headers.get('content-encoding')]).toEqual([304, null]);
      for (const list of ['"other"', `W/${etag}`, ''])
        expect((await read(path, { 'If-Match': list, 'If-None-Match': etag }, method)).status).toBe(412);
    });

    it('is otherwise refused with an Error that has nothing of the response', async () => {
      const response = await read(path, { 'If-Match': '"other"', 'Accept-Encoding': 'gzip' });
      for (const name of ['etag', 'content-encoding']) expect(response.headers.has(name)).toBe(false);
      expect(response.headers.get('link')).not.toContain('rel="next"');
      expect(await refusalOf(response)).toBe(FAILED);
    });
  },
);

describe('a precondition of a change', () => {
  it.each([
    ['the current tag', (etag: string) => etag],
    ['a list that has it', (etag: string) => `"other", ${etag}`],
    ['*', () => '*'],
  ])('holds with %s', async (_, condition) => {
    const path = await newPet();
    const headers = { 'If-Match': condition(await etagOf(path)) };
    expect((await patch(path, '{}', headers)).status).toBe(200);
    expect((await remove(path, headers)).status).toBe(204);
  });

  it.each<[string, (etag: string) => Headers]>([
    ['another tag', () => ({ 'If-Match': '"other"' })],
    ['no tag', () => ({ 'If-Match': '' })],
    ['a malformed list', (etag) => ({ 'If-Match': `*, ${etag}` })],
    ['a weak tag', (etag) => ({ 'If-Match': `W/${etag}` })],
    ['If-None-Match with the current tag', (etag) => ({ 'If-None-Match': etag })],
    ['If-None-Match with the current tag made weak', (etag) => ({ 'If-None-Match': `W/${etag}` })],
    ['If-None-Match with *', () => ({ 'If-None-Match': '*' })],
  ])('fails with %s', async (_, condition) => {
    const path = await newPet();
    const headers = condition(await etagOf(path));
    const before = await (await read(path)).text();
    expect(await refusalOf(patch(path, '{"name":"Max"}', headers))).toBe(FAILED);
    expect(await refusalOf(remove(path, headers))).toBe(FAILED);
    expect(await (await read(path)).text()).toBe(before);
  });

  it('is checked after the existence of the pet, and before its state', async () => {
    expect(await refusalOf(patch('/v1/pets/4711', '{}', { 'If-Match': '*' }))).toBe('404 pet_not_found');
    const sold = await newPet('sold');
    expect(await refusalOf(patch(sold, '{"status":null}', { 'If-Match': '"other"' }))).toBe(FAILED);
  });

  it('holds for one of many changes that are based on the same state', async () => {
    const path = await newPet();
    const condition = { 'If-Match': await etagOf(path) };
    const changes = Array.from({ length: 50 }, (_, n) => patch(path, `{"name":"name ${n}"}`, condition));
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
  });
});

describe('a list of ETags', () => {
  const LONGEST = 4_096;

  it.each(['If-Match', 'If-None-Match'])('can be as long as the document says, and no longer: %s', async (name) => {
    const etag = await etagOf('/v1/pets/1');
    const change = (list: string) =>
      patch('/v1/pets/1', '{"name":"Bella"}', { 'If-Match': etag, 'If-None-Match': '"a"', [name]: list });
    const list = `${name === 'If-Match' ? etag : '"b"'},`.padEnd(LONGEST, ',');
    expect([(await read('/v1/pets/1', { [name]: list })).status, (await change(list)).status]).toEqual([200, 200]);
    for (const path of ['/v1/pets/1', '/v1/pets?limit=1']) {
      const refused = await read(path, { [name]: `${list},` });
      expect(refused.headers.get('etag')).toBeNull();
      expect(String(refused.headers.get('link'))).not.toContain('next');
      expect(await refusalOf(refused)).toBe('400 validation_failed');
    }
    expect(await refusalOf(change(`${list},`))).toBe('400 validation_failed');
  });
});

it('an ETag does not affect errors or creates', async () => {
  expect(await statusTo('/v1/pets/4711', '*')).toBe(404);
  expect((await service.request('/v1/pets', { headers: { 'If-None-Match': '*' } })).status).toBe(401);
  const headers = { 'If-None-Match': '*' };
  expect((await service.json('/v1/pets', { key, headers, body: { name: 'x', categoryId: 1 } })).status).toBe(201);
});

const cacheOf = ({ headers }: Response) => headers.get('cache-control');
/** What caches are told. */
const told = (response: Response) => [cacheOf(response), response.headers.get('vary')];

it.each([
  [412, { 'If-Match': '"other"' }],
  [400, { 'If-None-Match': 'x'.repeat(5_000) }],
])('caches reuse no %i of a file that they can keep for a year', async (status, headers) => {
  const page = await (await service.request('/docs/plans')).text();
  const path = `/docs/${/assets\/[^"]+\/site\.css/.exec(page)?.[0]}`;
  expect(cacheOf(await service.request(path))).toContain('immutable');
  const refused = await service.request(path, { headers });
  expect([refused.status, cacheOf(refused)]).toEqual([status, 'no-cache']);
});

it.each([
  ['shared', 'no-cache'],
  ['secret', 'private, no-store'],
])('caches reuse no error of a handler, whatever it allows for a success: %s', async (name, expected) => {
  const refused = await service.request(`/v1/cached/${name}`);
  expect([refused.status, cacheOf(refused)]).toEqual([503, expected]);
});

describe('a shared or private cache', () => {
  it('returns no response to another caller, and none without revalidation', async () => {
    const reads = ['/v1/pets', '/v1/pets/1', '/v1/pets/4711', '/v1/nothing', '/v1/pets?limit=0'].map((path) =>
      read(path),
    );
    for (const response of [...reads, add(), read('/v1/pets', { 'If-None-Match': '*' })])
      expect(told(await response)).toEqual(['private, no-cache', 'Authorization']);
  });

  it('separates origins if browsers can call', async () => {
    const browsed = await startApp({ env: { CORS_ORIGINS: 'https://app.example.com' } });
    const response = await browsed.request('/v1/pets', { key: await browsed.key() });
    expect(told(response)).toEqual(['private, no-cache', 'Authorization, Origin']);
    await browsed.stop();
  });
});
