import { describe, expect, it } from '@jest/globals';
import { startApp, trio } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';

let key: string;
sharePreparedApp({}, async () => {
  key = await service.key();
  for (let n = 1; n <= 3; n += 1) await add();
});

const add = () => service.post('/v1/pets', key, '{"name":"Bella","categoryId":1,"status":"available"}');

const etagOf = async (path: string) => (await service.request(path, { key })).headers.get('etag') ?? '';
const revalidate = (path: string, condition: string, method = 'GET') =>
  service.request(path, { key, method, headers: { 'If-None-Match': condition } });

/** Of headers that are about the answer, not about its body or the connection. */
function namesOf({ headers }: Response): string[] {
  return [...headers.keys()].filter(
    (name) => !['content-type', 'content-length', 'connection', 'keep-alive'].includes(name),
  );
}

/** What caches are told. */
const told = ({ headers }: Response) => [headers.get('cache-control'), headers.get('vary')];

describe.each(['/v1/pets/1', '/v1/pets', '/v1/pets?limit=2'])('a response that the client has: %s', (path) => {
  it('has a strong ETag, which is the same each time and for HEAD', async () => {
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(await etagOf(path)).toBe(etag);
    expect((await service.request(path, { key, method: 'HEAD' })).headers.get('etag')).toBe(etag);
  });

  it.each(['GET', 'HEAD'])('returns 304 to %s without a body and its headers, and uses quota', async (method) => {
    const whole = await service.request(path, { key });
    const etag = whole.headers.get('etag') ?? '';
    const response = await revalidate(path, etag, method);
    expect([response.status, await response.text()]).toEqual([304, '']);
    expect(namesOf(response)).toEqual(namesOf(whole));
    // To a HEAD, they are those of the body that a 200 would have (RFC 9110, section 8.6).
    for (const name of ['content-type', 'content-length'])
      expect(response.headers.get(name)).toBe(method === 'HEAD' ? whole.headers.get(name) : null);
    expectTrio(response);
    expect(trio(response).remaining).toBe(Number(trio(whole).remaining) - 1);
    expect(response.headers.get('etag')).toBe(etag);
  });

  it('returns 304 to a list with the ETag, weak or not, and to *', async () => {
    const etag = await etagOf(path);
    for (const condition of [`"other", ${etag}`, `W/${etag}`, '*'])
      expect((await revalidate(path, condition)).status).toBe(304);
  });

  it('is complete for other tags and for a malformed condition', async () => {
    const whole = await service.request(path, { key });
    const [etag, body] = [whole.headers.get('etag') ?? '', await whole.text()];
    for (const condition of ['"other"', etag.slice(1), `${etag} x`, '']) {
      const response = await revalidate(path, condition);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(await response.text()).toBe(body);
    }
  });
});

describe.each(['/v1/pets/1', '/v1/pets', '/v1/pets?limit=2', '/v1/categories', '/openapi.json', '/docs'])(
  'If-Match of a GET or HEAD: %s',
  (path) => {
    const read = (headers: Record<string, string>, method = 'GET') => service.request(path, { key, method, headers });

    it.each(['GET', 'HEAD'])('of %s holds if it names the ETag, and comes before If-None-Match', async (method) => {
      const etag = await etagOf(path);
      for (const list of [etag, `"other", ${etag}`, '*'])
        expect((await read({ 'If-Match': list }, method)).status).toBe(200);
      expect((await read({ 'If-Match': etag, 'If-None-Match': etag }, method)).status).toBe(304);
      for (const list of ['"other"', `W/${etag}`, etag.slice(1), ''])
        expect((await read({ 'If-Match': list, 'If-None-Match': etag }, method)).status).toBe(412);
    });

    it('is otherwise refused with an Error that has nothing of the response', async () => {
      const response = await read({ 'If-Match': '"other"', 'Accept-Encoding': 'gzip' });
      for (const name of ['etag', 'content-encoding']) expect(response.headers.has(name)).toBe(false);
      expect(response.headers.get('link')).not.toContain('rel="next"');
      expect(await errorOf(response)).toMatchObject({ status: 412, code: 'precondition_failed' });
    });
  },
);

describe('a list of ETags', () => {
  const LONGEST = 4_096;

  it.each(['If-Match', 'If-None-Match'])('can be as long as the document says, and no longer: %s', async (name) => {
    const etag = await etagOf('/v1/pets/1');
    const change = (list: string) => {
      const headers = { 'Content-Type': 'application/json', 'If-Match': etag, 'If-None-Match': '"a"', [name]: list };
      return service.request('/v1/pets/1', { key, method: 'PATCH', headers, body: '{"name":"Bella"}' });
    };
    const read = (list: string) => service.request('/v1/pets/1', { key, headers: { [name]: list } });
    const list = `${name === 'If-Match' ? etag : '"b"'},`.padEnd(LONGEST, ',');
    expect([(await read(list)).status, (await change(list)).status]).toEqual([200, 200]);
    for (const response of [await read(`${list},`), await change(`${list},`)])
      expect(await errorOf(response)).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});

describe('an ETag', () => {
  it('of a pet is in the response to its creation', async () => {
    const added = await add();
    expect(added.headers.get('etag')).toBe(await etagOf(added.headers.get('location') ?? ''));
  });

  it('differs between pets, and between pages', async () => {
    const paths = ['/v1/pets/1', '/v1/pets/2', '/v1/pets?limit=1', '/v1/pets?limit=2', '/v1/pets?after=1'];
    expect(new Set(await Promise.all(paths.map(etagOf))).size).toBe(paths.length);
  });

  it('of a last page changes when the page gets a next one, although only Link differs', async () => {
    const { length } = (await (await service.request('/v1/pets', { key })).json()) as unknown[];
    const path = `/v1/pets?limit=${length}`;
    const before = await etagOf(path);
    await add();
    expect(await etagOf(path)).not.toBe(before);
    expect((await revalidate(path, before)).status).toBe(200);
  });

  it('does not affect errors or creates', async () => {
    expect((await revalidate('/v1/pets/4711', '*')).status).toBe(404);
    expect((await service.request('/v1/pets', { headers: { 'If-None-Match': '*' } })).status).toBe(401);
    const headers = { 'Content-Type': 'application/json', 'If-None-Match': '*' };
    expect(
      (await service.request('/v1/pets', { key, method: 'POST', headers, body: '{"name":"x","categoryId":1}' })).status,
    ).toBe(201);
  });
});

describe('a shared or private cache', () => {
  it('returns no response to another caller, and none without revalidation', async () => {
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets/4711', '/v1/nothing', '/v1/pets?limit=0']) {
      expect(told(await service.request(path, { key }))).toEqual(['private, no-cache', 'Authorization']);
    }
    expect(told(await add())).toEqual(['private, no-cache', 'Authorization']);
    expect(told(await revalidate('/v1/pets', '*'))).toEqual(['private, no-cache', 'Authorization']);
  });

  it('stores no 401 or 429', async () => {
    expect(told(await service.request('/v1/pets'))).toEqual(['no-store', 'Authorization']);
  });

  it('separates origins if browsers can call', async () => {
    const browsed = await startApp({ env: { CORS_ORIGINS: 'https://app.example.com' } });
    expect(told(await browsed.request('/v1/pets', { key: await browsed.key() }))).toEqual([
      'private, no-cache',
      'Authorization, Origin',
    ]);
    await browsed.stop();
  });

  it('does not store the health of the service', async () => {
    expect(told(await service.request('/health/live'))).toEqual(['no-store', null]);
  });
});
