import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

/** RFC 9745, RFC 8594, and RFC 8288 with the relations of RFC 5829 and RFC 9745. */
const DEPRECATION = {
  deprecation: '@1795219200',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v1/pets>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"',
};
const NONE = { deprecation: null, sunset: null };

let clock: FakeClock;
let service: TestApp;
let key: string;
let petId: number;

async function start(env: Record<string, string> = {}): Promise<void> {
  clock = new FakeClock();
  service = await startApp({ clock, env });
  key = await service.key();
  petId = ((await (await service.post('/v1/pets', key, '{"name":"x","categoryId":1}')).json()) as { id: number }).id;
}
afterEach(() => service.stop());

const shown = ({ headers }: Response) => ({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') });
const shownWithLink = (answer: Response) => ({ ...shown(answer), link: answer.headers.get('link') });

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
}

async function document(): Promise<Document> {
  return (await (await service.request('/openapi.json')).json()) as Document;
}

describe('getPet, before its removal', () => {
  beforeEach(() => start());

  it.each<[string, number, () => Promise<Response>]>([
    ['the animal', 200, () => service.request(`/v1/pets/${petId}`, { key })],
    ['HEAD', 200, () => service.request(`/v1/pets/${petId}`, { key, method: 'HEAD' })],
    ['an unknown animal', 404, () => service.request('/v1/pets/9000', { key })],
    ['what is no identifier', 404, () => service.request('/v1/pets/abc', { key })],
    ['an unknown query parameter', 400, () => service.request(`/v1/pets/${petId}?fields=name`, { key })],
    ['a key without the scope', 403, async () => service.request(`/v1/pets/${petId}`, { key: await service.key({ scopes: ['pets:write'] }) })],
  ])('is announced on %s', async (_, status, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(shownWithLink(answer)).toEqual(DEPRECATION);
  });

  it.each<[string, number, () => Promise<Response>]>([
    ['the list', 200, () => service.request('/v1/pets', { key })],
    ['a refused list', 400, () => service.request('/v1/pets?limit=0', { key })],
    ['a new animal', 201, () => service.post('/v1/pets', key, '{"name":"x","categoryId":1}')],
    ['an unknown path', 404, () => service.request('/v1/nothing', { key })],
    ['another method of the same path', 405, () => service.request(`/v1/pets/${petId}`, { key, method: 'PUT' })],
    ['the same path without a key', 401, () => service.request(`/v1/pets/${petId}`)],
  ])('is not announced on %s', async (_, status, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(shown(answer)).toEqual(NONE);
    expect(answer.headers.get('link')).toBeNull();
  });

  it('is marked in the document, with its removal date', async () => {
    const { paths } = await document();
    const operation = paths['/pets/{petId}']?.['get'];
    expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2030-12-05', 'x-stability': 'stable' });
    expect(operation?.['description']).toContain('2030-12-05');
    expect(paths['/pets']?.['get']?.['deprecated']).toBeUndefined();
  });
});

describe('getPet, a millisecond before its removal', () => {
  it('serves and is documented', async () => {
    await start();
    clock.set('2030-12-04T23:59:59.999Z');
    const answer = await service.request(`/v1/pets/${petId}`, { key });
    expect([answer.status, await answer.json()]).toEqual([200, { id: petId, name: 'x', categoryId: 1 }]);
    expect(Object.keys((await document()).paths)).toContain('/pets/{petId}');
  });
});

describe('getPet, from its removal on', () => {
  beforeEach(async () => {
    await start();
    clock.set('2030-12-05T00:00:00.000Z');
  });

  it.each<[string, () => Promise<Response>]>([
    ['an animal', () => service.request(`/v1/pets/${petId}`, { key })],
    ['an unknown animal', () => service.request('/v1/pets/9000', { key })],
    ['what is no identifier', () => service.request('/v1/pets/abc', { key })],
    ['an unknown query parameter', () => service.request(`/v1/pets/${petId}?fields=name`, { key })],
    ['a key without the scope', async () => service.request(`/v1/pets/${petId}`, { key: await service.key({ scopes: ['pets:write'] }) })],
  ])('is 410 with the way to its successor: %s', async (_, call) => {
    const answer = await call();
    expect(shownWithLink(answer)).toEqual(DEPRECATION);
    expect(await errorOf(answer)).toMatchObject({ status: 410, code: 'operation_removed', message: expect.stringContaining('/v1/pets') });
  });

  it('still needs a key', async () => {
    expect((await service.request(`/v1/pets/${petId}`)).status).toBe(401);
  });

  it('says where the caller stands', async () => {
    expect((await service.request(`/v1/pets/${petId}`, { key })).headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it('is gone from the document, in JSON and YAML, and nothing else is', async () => {
    const { paths } = await document();
    expect(Object.keys(paths)).toContain('/pets');
    expect(Object.keys(paths['/pets/{petId}'] ?? {})).not.toContain('get');
    const yaml = await (await service.request('/openapi.yaml')).text();
    expect(yaml).toContain('/pets:');
    expect(yaml).not.toContain('operationId: getPet\n');
  });

  it('leaves the other operations as they were', async () => {
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
    expect((await service.post('/v1/pets', key, '{"name":"y","categoryId":1}')).status).toBe(201);
  });
});

describe('SERVE_AFTER_SUNSET', () => {
  it('keeps getPet serving, announced and documented', async () => {
    await start({ SERVE_AFTER_SUNSET: 'true' });
    clock.set('2031-06-01T00:00:00Z');
    const answer = await service.request(`/v1/pets/${petId}`, { key });
    expect(answer.status).toBe(200);
    expect(shownWithLink(answer)).toEqual(DEPRECATION);
    expect(Object.keys((await document()).paths)).toContain('/pets/{petId}');
  });
});
