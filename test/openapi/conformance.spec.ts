import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiError } from '../../src/errors/index.js';
import { PetsService } from '../../src/pets/index.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { type Answer, Contract } from './contract.js';
import { fetchDocument, operationsOf } from './document.js';

const PET = '{"name":"Bella","categoryId":1,"status":"available"}';
/** What each operation takes to succeed. */
const REQUESTS = {
  listPets: { path: '/v1/pets?limit=1&status=available', service: 'list' },
  createPet: { path: '/v1/pets', service: 'create', method: 'POST', body: PET, headers: { 'Content-Type': 'application/json' } },
  getPet: { path: '/v1/pets/1', service: 'get' },
} as const;

type Id = keyof typeof REQUESTS;
type Ask = (id: Id) => Promise<Response>;

/** Statuses that need more than a request: a client that takes half a minute to send a body. */
const OUT_OF_REACH = ['createPet 408'];

const clock = new FakeClock();
let service: TestApp;
let document: OpenAPIObject;
let contract: Contract;
let key: string;

beforeAll(async () => {
  service = await startApp({ clock });
  document = await fetchDocument(service);
  contract = new Contract(document);
  key = await service.key();
  for (let n = 1; n <= 2; n += 1) await service.post('/v1/pets', key, PET);
});
afterAll(() => service.stop());
afterEach(() => {
  jest.restoreAllMocks();
  clock.set('2026-11-21T12:00:00Z');
});

const send = (id: Id, more: Parameters<TestApp['request']>[1] = {}, path: string = REQUESTS[id].path) => {
  const { path: _path, service: _service, ...init } = REQUESTS[id];
  return service.request(path, { key, ...init, ...more });
};

/** Answers to these are not kept from another request. */
const UNREAD: Record<Id, string> = { listPets: '/v1/pets?limit=77', createPet: '/v1/pets', getPet: '/v1/pets/77' };

const fail = (error: Error): Ask => (id) => {
  jest.spyOn(service.app.get(PetsService), REQUESTS[id].service).mockRejectedValue(error);
  return send(id, {}, UNREAD[id]);
};

/** Past a limit of one request a minute, or so far past it that the key is banned. */
const exhaust = (calls: number): Ask => async (id) => {
  const poor = await service.key({ plan: 'enterprise', perMinute: 1, perDay: 2 });
  for (let call = 0; call < calls; call += 1) await service.request('/v1/pets', { key: poor });
  return send(id, { key: poor });
};

const EVERY: [string, number, Ask][] = [
  ['a request as documented', 200, (id) => send(id)],
  ['an unknown query parameter', 400, (id) => send(id, {}, `${REQUESTS[id].path.split('?')[0]}?nope=1`)],
  ['no key', 401, (id) => service.request(REQUESTS[id].path, id === 'createPet' ? { method: 'POST' } : {})],
  ['an unknown key', 401, (id) => send(id, { key: 'psk_live_nonsense' })],
  ['an expired key', 401, async (id) => {
    const short = await service.key({ expiresInMs: 1_000 });
    clock.advanceSeconds(2);
    return send(id, { key: short });
  }],
  ['a narrowed key', 403, async (id) => send(id, { key: await service.key({ scopes: [id === 'createPet' ? 'pets:read' : 'pets:write'] }) })],
  ['a limit that is exhausted', 429, exhaust(1)],
  ['a banned key', 429, exhaust(3)],
  ['a fault of the service', 500, fail(new Error('on purpose'))],
  ['a database that is away', 503, fail(new ApiError('service_unavailable', 'On purpose.', { 'Retry-After': '1' }))],
];

const SOME: [Id, string, number, Ask][] = [
  ['listPets', 'a last page', 200, (id) => send(id, {}, '/v1/pets')],
  ['listPets', 'a page without animals', 200, (id) => send(id, {}, '/v1/pets?status=sold')],
  ['createPet', 'malformed JSON', 400, (id) => send(id, { body: '{' })],
  ['createPet', 'an unknown field', 400, (id) => send(id, { body: '{"id":1}' })],
  ['createPet', 'too large a body', 413, (id) => send(id, { body: ' '.repeat(17_000) })],
  ['createPet', 'another media type', 415, (id) => send(id, { headers: { 'Content-Type': 'text/plain' } })],
  ['getPet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['getPet', 'the removal date', 410, (id) => {
    clock.set('2030-12-05T00:00:00Z');
    return send(id);
  }],
];

const cases = [
  ...(Object.keys(REQUESTS) as Id[]).flatMap((id) =>
    EVERY.map(([name, status, ask]): [Id, string, number, Ask] => [id, name, id === 'createPet' && status === 200 ? 201 : status, ask]),
  ),
  ...SOME,
];

describe('an answer is as the document says', () => {
  it.each(cases)('%s: %s gives %i', async (id, _name, status, ask) => {
    const { headers, ...answer } = await ask(id).then(read);
    expect(answer.status).toBe(status);
    expect(contract.faults(id, { headers, ...answer })).toEqual([]);
  });

  it('for every status of every operation', () => {
    const documented = operationsOf(document).flatMap(({ operation, responses }) => Object.keys(responses).map((status) => `${operation.operationId} ${status}`));
    const reached = cases.map(([id, , status]) => `${id} ${status}`);
    expect(new Set([...reached, ...OUT_OF_REACH])).toEqual(new Set(documented));
  });
});

const PAGE = '[{"id":1,"name":"Bella","categoryId":1}]';

/** The faults of a real page of listPets that was changed. */
const changed = (status: number, text: string, change: (headers: Headers) => void = () => {}) => async () => {
  const { headers } = await read(await send('listPets', {}, '/v1/pets'));
  change(headers);
  return contract.faults('listPets', { status, headers, text });
};

describe('an answer that is not as the document says', () => {
  it.each([
    ['an undocumented status', changed(418, PAGE), ['status 418 is not documented']],
    ['an undocumented header', changed(200, PAGE, (headers) => headers.set('Sunset', 'now')), ['header sunset is not documented']],
    ['a missing header', changed(200, PAGE, (headers) => headers.delete('X-RateLimit-Reset')), ['header x-ratelimit-reset is missing']],
    ['a header that is no integer', changed(200, PAGE, (headers) => headers.set('X-RateLimit-Limit', '1.5')), ['header x-ratelimit-limit must be integer']],
    ['another body', changed(200, '[{"id":0}]'), ["/0 must have required property 'name'", "/0 must have required property 'categoryId'", '/0/id must be >= 1'].map((fault) => `the body: ${fault}`)],
  ])('is noticed: %s', async (_name, faults, expected) => {
    expect(await faults()).toEqual(expected);
  });
});

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: new Headers(response.headers), text: await response.text() };
}
