import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AccountKeysService, KeysService, SCOPES } from '../../src/auth/index.js';
import { CategoriesService } from '../../src/categories/index.js';
import { Database } from '../../src/database/index.js';
import { ApiError } from '../../src/errors/index.js';
import { Idempotency } from '../../src/idempotency/index.js';
import { PetsService } from '../../src/pets/index.js';
import { OrdersService } from '../../src/store/orders.service.js';
import { UndeclaredQueryGuard } from '../../src/validation/index.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { JSON_TYPE } from '../support/http.js';
import { type Answer, Contract } from './contract.js';
import { fetchDocument, operationsOf } from './document.js';

const PET = '{"name":"Bella","categoryId":1,"status":"available"}';

/** Whose key calls, unless another one is named. */
const ALMIGHTY = { account: 'almighty', plan: 'business', scopes: SCOPES } as const;

/** How to call an operation, and how to make it fail. */
interface Sample {
  /** What succeeds; a function where each call needs one of its own. */
  readonly path: string | (() => Promise<string>);
  /** What no answer is kept of from another request. */
  readonly uncached?: string;
  readonly method?: string;
  readonly body?: string | (() => Promise<string>);
  readonly success?: number;
  /** Whether it takes nothing from the plan. */
  readonly free?: boolean;
  /** Makes what the operation calls fail. */
  readonly fail: (error: Error) => void;
}

const failPets = (method: 'list' | 'create' | 'get' | 'change' | 'remove') => (error: Error) => void jest.spyOn(service.app.get(PetsService), method).mockRejectedValue(error);
const failOrders = (method: 'placeIn' | 'list' | 'get' | 'move') => (error: Error) =>
  void jest.spyOn(service.app.get(OrdersService), method).mockRejectedValue(error);
const failCategories = (method: 'list' | 'createIn' | 'get' | 'change') => (error: Error) =>
  void jest.spyOn(service.app.get(CategoriesService), method).mockRejectedValue(error);
const failKeys = (method: 'list' | 'createIn' | 'get' | 'rotateIn' | 'revoke') => (error: Error) =>
  void jest.spyOn(service.app.get(AccountKeysService), method).mockRejectedValue(error);

const SAMPLES: Record<string, Sample> = {
  listPets: { path: '/v1/pets?limit=1&status=available', uncached: '/v1/pets?limit=77', fail: failPets('list') },
  createPet: { path: '/v1/pets', method: 'POST', body: PET, success: 201, fail: failPets('create') },
  getPet: { path: '/v1/pets/1', uncached: '/v1/pets/77', fail: failPets('get') },
  changePet: { path: '/v1/pets/1', method: 'PATCH', body: '{"name":"Bella"}', fail: failPets('change') },
  removePet: { path: () => newPet('available'), method: 'DELETE', success: 204, fail: failPets('remove') },
  placeOrder: { path: '/v1/store/orders', method: 'POST', body: async () => `{"petId":${await sparePet()}}`, success: 201, fail: failOrders('placeIn') },
  listOrders: { path: '/v1/store/orders?limit=1', fail: failOrders('list') },
  getOrder: { path: async () => `/v1/store/orders/${await spareOrder()}`, fail: failOrders('get') },
  changeOrder: { path: async () => `/v1/store/orders/${await spareOrder()}`, method: 'PATCH', body: '{"status":"approved"}', fail: failOrders('move') },
  listCategories: { path: '/v1/categories?limit=1', fail: failCategories('list') },
  createCategory: { path: '/v1/categories', method: 'POST', body: '{"name":"Dogs"}', success: 201, fail: failCategories('createIn') },
  getCategory: { path: '/v1/categories/1', fail: failCategories('get') },
  changeCategory: { path: '/v1/categories/1', method: 'PATCH', body: '{"name":"Dogs"}', fail: failCategories('change') },
  getUsage: {
    path: '/v1/usage',
    free: true,
    fail: (error) =>
      void jest.spyOn(UndeclaredQueryGuard.prototype, 'canActivate').mockImplementation(() => {
        throw error;
      }),
  },
  createKey: { path: '/v1/keys', method: 'POST', body: '{"scopes":["pets:read"],"expiresInSeconds":60}', success: 201, fail: failKeys('createIn') },
  listKeys: { path: '/v1/keys?limit=1', fail: failKeys('list') },
  getKey: { path: async () => `/v1/keys/${await spareKey()}`, fail: failKeys('get') },
  rotateKey: { path: async () => `/v1/keys/${await spareKey()}/rotate`, method: 'POST', body: '{}', success: 201, fail: failKeys('rotateIn') },
  revokeKey: { path: async () => `/v1/keys/${await spareKey()}`, method: 'DELETE', success: 204, fail: failKeys('revoke') },
};

type Ask = (id: string) => Promise<Response>;

/** Statuses that need more than a request: a client that takes half a minute to send a body. */
const OUT_OF_REACH = Object.keys(SAMPLES).filter((id) => sample(id).body !== undefined).map((id) => `${id} 408`);

const clock = new FakeClock();
let service: TestApp;
let document: OpenAPIObject;
let contract: Contract;
let key: string;

beforeAll(async () => {
  service = await startApp({ clock });
  document = await fetchDocument(service);
  contract = new Contract(document);
  key = await service.key(ALMIGHTY);
  for (let n = 1; n <= 2; n += 1) await service.post('/v1/pets', key, PET);
  for (let n = 1; n <= 2; n += 1) await service.post('/v1/categories', key, `{"name":"Dogs","id":${n}}`);
});
afterAll(() => service.stop());
afterEach(() => {
  jest.restoreAllMocks();
  clock.set('2026-11-21T12:00:00Z');
});

const made = async (text: string | (() => Promise<string>)) => (typeof text === 'string' ? text : text());

/** @throws Error when there is no sample of the operation */
function sample(id: string): Sample {
  const found = SAMPLES[id];
  if (found === undefined) throw new Error(`There is no sample of ${id}.`);
  return found;
}

/** Path of a pet. */
async function newPet(status: string): Promise<string> {
  return (await service.post('/v1/pets', key, JSON.stringify({ name: 'Bella', categoryId: 1, status }))).headers.get('location') ?? '';
}

/** A pet that nobody has ordered. */
async function sparePet(): Promise<number> {
  return ((await (await service.post('/v1/pets', key, PET)).json()) as { id: number }).id;
}

/** A placed order. */
async function spareOrder(): Promise<number> {
  return ((await (await service.post('/v1/store/orders', key, `{"petId":${await sparePet()}}`)).json()) as { id: number }).id;
}

/** A key of the account that calls. */
async function spareKey(): Promise<string> {
  return (await service.app.get(KeysService).createKey({ ...ALMIGHTY, scopes: ['pets:read'] }, 'test')).id;
}

async function send(id: string, more: Parameters<TestApp['request']>[1] = {}, path?: string): Promise<Response> {
  const { path: usual, method = 'GET', body } = sample(id);
  const init = body === undefined ? { method } : { method, body: await made(body), headers: JSON_TYPE };
  return service.request(path ?? (await made(usual)), { key, ...init, ...more });
}

const fail = (error: Error): Ask => (id) => {
  const { fail: failing, uncached } = sample(id);
  failing(error);
  return send(id, {}, uncached);
};

const withParameter: Ask = async (id) => {
  const { path } = sample(id);
  const [plain] = (await made(path)).split('?');
  return send(id, {}, `${plain}?nope=1`);
};

/** Past a limit of one request a minute, or so far past it that the key is banned. */
const exhaust = (calls: number): Ask => async (id) => {
  const poor = await service.key({ plan: 'enterprise', perMinute: 1, perDay: 2, scopes: SCOPES });
  for (let call = 0; call < calls; call += 1) await service.request('/v1/pets', { key: poor });
  return send(id, { key: poor });
};

const EVERY: [string, number, Ask][] = [
  ['a request as documented', 200, (id) => send(id)],
  ['an unknown query parameter', 400, withParameter],
  ['no key', 401, (id) => send(id, { headers: { Authorization: '' } })],
  ['an unknown key', 401, (id) => send(id, { key: 'psk_live_nonsense' })],
  ['an expired key', 401, async (id) => {
    const short = await service.key({ expiresInMs: 1_000, scopes: SCOPES });
    clock.advanceSeconds(2);
    return send(id, { key: short });
  }],
  ['a narrowed key', 403, async (id) => send(id, { key: await service.key({ scopes: ['toys:read'] }) })],
  ['a limit that is exhausted', 429, exhaust(1)],
  ['a banned key', 429, exhaust(3)],
  ['a fault of the service', 500, fail(new Error('on purpose'))],
  ['a database that is away', 503, fail(new ApiError('service_unavailable', 'On purpose.', { 'Retry-After': '1' }))],
];

const NO_KEY = 'key_0000000000000000';

/** Calls with a key of an account that has as many keys as it may have. */
async function crowded(call: (as: string) => Promise<Response>): Promise<Response> {
  const terms = { account: 'crowded', plan: 'business', scopes: SCOPES } as const;
  const keys = service.app.get(KeysService);
  const { key: first } = await keys.createKey(terms, 'test');
  await Promise.all(Array.from({ length: 99 }, () => keys.createKey(terms, 'test')));
  return call(first);
}

const SOME: [string, string, number, Ask][] = [
  ['listPets', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getPet', 'an animal that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['listPets', 'a last page', 200, (id) => send(id, {}, '/v1/pets')],
  ['listPets', 'a page without animals', 200, (id) => send(id, {}, '/v1/pets?status=sold')],
  ['getPet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['changePet', 'no status', 200, async (id) => send(id, { body: '{"status":null}' }, await newPet('pending'))],
  ['changePet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['changePet', 'a pet that is sold', 409, async (id) => send(id, { body: '{"status":null}' }, await newPet('sold'))],
  ['changePet', 'an old state', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"old"' } })],
  ['changePet', 'a precondition that is none', 400, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': 'old' } })],
  ['removePet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['removePet', 'a pet that an order holds', 409, async (id) => {
    const path = await newPet('available');
    await service.app.get(Database).write((manager) => service.app.get(PetsService).holdIn(manager, path.slice('/v1/pets/'.length)));
    return send(id, {}, path);
  }],
  ['removePet', 'an old state', 412, (id) => send(id, { headers: { 'If-Match': '"old"' } })],
  ['listCategories', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['listCategories', 'a last page', 200, (id) => send(id, {}, '/v1/categories?after=9223372036854775806')],
  ['createCategory', 'an identifier that has a category', 409, (id) => send(id, { body: '{"name":"Dogs","id":1}' })],
  ['getCategory', 'a category that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getCategory', 'an unknown category', 404, (id) => send(id, {}, '/v1/categories/404')],
  ['changeCategory', 'an unknown category', 404, (id) => send(id, {}, '/v1/categories/404')],
  ['changeCategory', 'an old state', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"old"' } })],
  ['getPet', 'the removal date', 410, (id) => {
    clock.set('2030-12-05T00:00:00Z');
    return send(id);
  }],
  ['getUsage', 'a limit of its own that is exhausted', 429, async (id) => {
    const busy = await service.key({ plan: 'free' });
    for (let call = 0; call < 300; call += 1) await send(id, { key: busy });
    return send(id, { key: busy });
  }],
  ['listOrders', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getOrder', 'an order that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['changeOrder', 'an order that is another by now', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"another"' } })],
  ['placeOrder', 'an unknown pet', 404, (id) => send(id, { body: '{"petId":404404}' })],
  ['placeOrder', 'a pet that is ordered', 409, async (id) => {
    const body = `{"petId":${await sparePet()}}`;
    await send(id, { body });
    return send(id, { body });
  }],
  ['listOrders', 'a last page', 200, (id) => send(id, {}, '/v1/store/orders?after=404404')],
  ['getOrder', 'an unknown order', 404, (id) => send(id, {}, '/v1/store/orders/404404')],
  ['changeOrder', 'an unknown order', 404, (id) => send(id, {}, '/v1/store/orders/404404')],
  ['changeOrder', 'a status that does not follow', 409, (id) => send(id, { body: '{"status":"delivered"}' })],
  ['createKey', 'no room for another key', 409, (id) => crowded((most) => send(id, { key: most }))],
  ['listKeys', 'a last page', 200, (id) => send(id, {}, '/v1/keys?limit=100')],
  ['getKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}`)],
  ['rotateKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}/rotate`)],
  ['rotateKey', 'a key that has a successor', 409, async (id) => {
    const path = `/v1/keys/${await spareKey()}/rotate`;
    await send(id, {}, path);
    return send(id, {}, path);
  }],
  ['revokeKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}`)],
];

/** What every operation with a body can refuse. */
const BODIES: [string, number, Ask][] = [
  ['malformed JSON', 400, (id) => send(id, { body: '{' })],
  ['an unknown field', 400, (id) => send(id, { body: '{"unknown":1}' })],
  ['too large a body', 413, (id) => send(id, { body: ' '.repeat(17_000) })],
  ['another media type', 415, (id) => send(id, { headers: { 'Content-Type': 'text/plain' } })],
];

const withIdempotencyKey = (id: string, more: Parameters<TestApp['request']>[1] = {}, path?: string) =>
  send(id, { ...more, headers: { ...JSON_TYPE, 'Idempotency-Key': 'the key' } }, path);

/** What every operation that can be sent again can answer. */
const POSTS: [string, number, Ask][] = [
  ['a bad Idempotency-Key', 400, (id) => send(id, { headers: { ...JSON_TYPE, 'Idempotency-Key': '' } })],
  ['an Idempotency-Key of another request', 422, async (id) => {
    await withIdempotencyKey('createPet');
    return withIdempotencyKey(id, { body: `${await made(sample(id).body ?? '')} ` });
  }],
  ['an Idempotency-Key in use', 409, async (id) => {
    const [path, body] = [await made(sample(id).path), await made(sample(id).body ?? '')];
    jest.spyOn(Idempotency.prototype, 'answer').mockRejectedValue(new ApiError('idempotency_key_in_use', 'On purpose.', { 'Retry-After': '1' }));
    return send(id, { body }, path);
  }],
];

const cases = [
  ...Object.entries(SAMPLES).flatMap(([id, { success = 200, free = false, method, body }]) =>
    [...EVERY, ...(body === undefined ? [] : BODIES), ...(method === 'POST' ? POSTS : [])]
      .filter(([, status]) => !(free && status === 429))
      .map(([name, status, ask]): [string, string, number, Ask] => [id, name, status === 200 ? success : status, ask]),
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
