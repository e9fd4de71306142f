import { jest } from '@jest/globals';
import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { KeysService } from '../../../src/accounts/keys/keys.service.js';
import { SCOPES } from '../../../src/auth/keys/scopes.js';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { ApiError } from '../../../src/http/errors/api-error.js';
import { runAs } from '../../../src/database/events/actor.js';
import { unavailable } from '../../../src/database/unavailable.js';
import { IdempotencyService } from '../../../src/http/idempotency/idempotency.service.js';
import { UsageRecorder } from '../../../src/rate-limit/history/usage-history.js';
import { PetsService } from '../../../src/pets/index.js';
import type { TestApp } from '../../support/app.js';
import { JSON_TYPE } from '../../support/http.js';
import { EVENT_CASES } from './event-cases.js';
import { type Ask, made, sample, SAMPLES, send } from './samples.js';
import { subject } from './subject.js';

const fail =
  (error: Error): Ask =>
  (id) => {
    const { fail: failing, uncached } = sample(id);
    failing(error);
    return send(id, {}, uncached);
  };

const withParameter: Ask = async (id) => {
  const { path } = sample(id);
  const [plain] = (await made(path)).split('?');
  return send(id, {}, `${plain}?page=1`);
};

/** Exceeds a limit of one request per minute, or exceeds it so far that the key is banned. */
const exhaust =
  (calls: number): Ask =>
  async (id) => {
    const poor = await subject.service.key({ plan: 'enterprise', perMinute: 1, perDay: 2, scopes: SCOPES });
    for (let call = 0; call < calls; call += 1) await subject.service.request('/v1/pets', { key: poor });
    return send(id, { key: poor });
  };

/** Calls with a key that an operator has changed. */
const after =
  (change: (keys: KeysService, keyId: string) => Promise<unknown>): Ask =>
  async (id) => {
    const changed = await subject.service.createKey({ scopes: SCOPES });
    await change(subject.service.app.get(KeysService), changed.id);
    return send(id, { key: changed });
  };

/** getUsage does not refuse it, because it needs no scope. */
const NARROWED = 'a narrowed key';

const EVERY: [string, number, Ask][] = [
  ['a request as documented', 200, (id) => send(id)],
  ['an unknown query parameter', 400, withParameter],
  [
    'no key',
    401,
    async (id) => subject.service.request(await made(sample(id).path), { method: sample(id).method ?? 'GET' }),
  ],
  ['an unknown key', 401, (id) => send(id, { key: generateApiKey('live') })],
  [
    'an expired key',
    401,
    async (id) => {
      const short = await subject.service.key({ expiresInMs: 1_000, scopes: SCOPES });
      subject.clock.advanceSeconds(2);
      return send(id, { key: short });
    },
  ],
  ['a paused key', 401, after((keys, id) => keys.change(id, { paused: true }))],
  ['a revoked key', 401, after((keys, id) => keys.revoke(id))],
  [
    NARROWED,
    403,
    async (id) => {
      const terms = { account: `narrowed for ${id}`, plan: 'business', scopes: ['toys:read'] } as const;
      // The kit would refuse a scope that no operation has.
      const { key } = await runAs('test', () => subject.service.app.get(KeysService).createKey(terms));
      return send(id, { key });
    },
  ],
  [
    'a suspended account',
    403,
    async (id) => {
      const account = `suspended for ${id}`;
      const suspended = await subject.service.createKey({ account, scopes: SCOPES });
      await subject.service.app.get(AccountsService).suspend(account, 'fraud');
      return send(id, { key: suspended });
    },
  ],
  ['a limit that is exhausted', 429, exhaust(1)],
  ['a banned key', 429, exhaust(3)],
  ['headers that are too large', 431, (id) => send(id, { headers: { 'X-Large': 'x'.repeat(17_000) } })],
  ['a fault of the service', 500, fail(new Error('on purpose'))],
  ['a database that is away', 503, fail(unavailable())],
];

const NO_KEY = 'key_0000000000000000';

/** Calls with a key of an account that has the maximum number of keys. */
async function crowded(call: (as: string) => Promise<Response>): Promise<Response> {
  const terms = { account: 'crowded', plan: 'business', scopes: SCOPES } as const;
  const keys = subject.service.app.get(KeysService);
  const { key: first } = await keys.createKey(terms);
  await Promise.all(Array.from({ length: 99 }, () => keys.createKey(terms)));
  return call(first);
}

/** Gets a history that has items. */
const historyBy =
  (split: string): Ask =>
  async (id) => {
    await subject.service.app.get(UsageRecorder).run();
    return send(id, {}, `/v1/usage/history?by=${split}`);
  };

/** Returns the path of a pet with an open order. */
async function heldPet(): Promise<string> {
  const path = await subject.newPet('available');
  await subject.service.app.get(PetsService).reserve(path.slice('/v1/pets/'.length));
  return path;
}

/** Calls until a key of the plan has no request left for the operation. */
const exhaustPlan =
  (plan: 'free' | 'pro', calls: number): Ask =>
  async (id) => {
    const busy = await subject.service.key({ plan });
    for (let call = 0; call < calls; call += 1) await send(id, { key: busy });
    return send(id, { key: busy });
  };

const READS = ['listPets', 'getPet', 'listCategories', 'getCategory', 'listOrders', 'getOrder', 'listKeys'];

const SOME: [string, string, number, Ask][] = [
  ...READS.map((read): [string, string, number, Ask] => [
    read,
    'an old state',
    412,
    (id) => send(id, { headers: { 'If-Match': '"old"' } }),
  ]),
  ['listPets', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getPet', 'a pet that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['listPets', 'a last page', 200, (id) => send(id, {}, '/v1/pets')],
  ['listPets', 'a page without pets', 200, (id) => send(id, {}, '/v1/pets?status=sold')],
  ['getPet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['changePet', 'no status', 200, async (id) => send(id, { body: '{"status":null}' }, await subject.newPet('pending'))],
  ['changePet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  [
    'changePet',
    'a pet that an order holds',
    409,
    async (id) => send(id, { body: '{"status":"sold"}' }, await heldPet()),
  ],
  [
    'changePet',
    'a pet that is sold',
    409,
    async (id) => send(id, { body: '{"status":null}' }, await subject.newPet('sold')),
  ],
  ['changePet', 'an old state', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"old"' } })],
  ['changePet', 'a precondition that is none', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': 'old' } })],
  ['removePet', 'an unknown pet', 404, (id) => send(id, {}, '/v1/pets/404')],
  ['removePet', 'a pet that an order holds', 409, async (id) => send(id, {}, await heldPet())],
  ['removePet', 'an old state', 412, (id) => send(id, { headers: { 'If-Match': '"old"' } })],
  ['listCategories', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['listCategories', 'a last page', 200, (id) => send(id, {}, '/v1/categories?after=9223372036854775806')],
  ['createCategory', 'an identifier that has a category', 409, (id) => send(id, { body: '{"name":"Dogs","id":1}' })],
  ['getCategory', 'a category that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getCategory', 'an unknown category', 404, (id) => send(id, {}, '/v1/categories/404')],
  ['changeCategory', 'an unknown category', 404, (id) => send(id, {}, '/v1/categories/404')],
  ['changeCategory', 'an old state', 412, (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"old"' } })],
  [
    'getPet',
    'the removal date',
    410,
    (id) => {
      subject.clock.set('2030-12-05T00:00:00Z');
      return send(id);
    },
  ],
  ['listPets', 'a plan that is exhausted', 429, exhaustPlan('pro', 300)],
  [
    'listPets',
    'a key for orders',
    403,
    async (id) => send(id, { key: await subject.service.key({ scopes: ['orders:read', 'orders:write'] }) }),
  ],
  ['getUsage', 'a limit of its own that is exhausted', 429, exhaustPlan('free', 300)],
  ['getUsageHistory', 'a limit of its own that is exhausted', 429, exhaustPlan('free', 60)],
  ['getUsageHistory', 'the requests of keys', 200, historyBy('key')],
  ['getUsageHistory', 'the requests to operations', 200, historyBy('operation')],
  ['getUsageHistory', 'the outcomes of requests', 200, historyBy('outcome')],
  ['listOrders', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['getOrder', 'an order that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  [
    'changeOrder',
    'an order that is another by now',
    412,
    (id) => send(id, { headers: { ...JSON_TYPE, 'If-Match': '"another"' } }),
  ],
  ['placeOrder', 'an unknown pet', 404, (id) => send(id, { body: '{"petId":404404}' })],
  [
    'placeOrder',
    'a pet that is not available',
    409,
    async (id) => {
      await send('changePet', { body: '{"status":"pending"}' });
      return send(id, { body: '{"petId":1}' });
    },
  ],
  ['listOrders', 'a last page', 200, (id) => send(id, {}, '/v1/store/orders?after=404404')],
  ['getOrder', 'an unknown order', 404, (id) => send(id, {}, '/v1/store/orders/404')],
  ['changeOrder', 'an unknown order', 404, (id) => send(id, {}, '/v1/store/orders/404')],
  ['changeOrder', 'a status that does not follow', 409, (id) => send(id, { body: '{"status":"delivered"}' })],
  ['createKey', 'no room for another key', 409, (id) => crowded((most) => send(id, { key: most }))],
  ['listKeys', 'a page that the client has', 304, (id) => send(id, { headers: { 'If-None-Match': '*' } })],
  ['listKeys', 'a last page', 200, (id) => send(id, {}, '/v1/keys?limit=100')],
  ['getKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}`)],
  ['changeKey', 'no name', 200, (id) => send(id, { body: '{"name":null}' })],
  ['changeKey', 'nothing to change', 400, (id) => send(id, { body: '{}' })],
  ['changeKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}`)],
  [
    'changeKey',
    'a key that is revoked',
    409,
    async (id) => {
      const keyId = await subject.newKeyId();
      await subject.service.app.get(KeysService).revoke(keyId);
      return send(id, {}, `/v1/keys/${keyId}`);
    },
  ],
  ['getKeyUsage', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}/usage`)],
  ['rotateKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}/rotate`)],
  [
    'rotateKey',
    'a key that has a successor',
    409,
    async (id) => {
      const path = `/v1/keys/${await subject.newKeyId()}/rotate`;
      await send(id, {}, path);
      return send(id, {}, path);
    },
  ],
  ['revokeKey', 'an unknown key', 404, (id) => send(id, {}, `/v1/keys/${NO_KEY}`)],
];

/** Errors of every operation with a request body. */
const BODIES: [string, number, Ask][] = [
  ['malformed JSON', 400, (id) => send(id, { body: '{"name":Bella}' })],
  ['an unknown field', 400, (id) => send(id, { body: '{"colour":"red"}' })],
  ['too large a body', 413, (id) => send(id, { body: ' '.repeat(17_000) })],
  ['another media type', 415, (id) => send(id, { headers: { 'Content-Type': 'text/plain' } })],
];

const withIdempotencyKey = (id: string, more: Parameters<TestApp['request']>[1] = {}, path?: string) =>
  send(id, { ...more, headers: { ...JSON_TYPE, 'Idempotency-Key': 'the key' } }, path);

const IDEMPOTENT: ReadonlySet<string> = new Set(['createPet', 'createCategory', 'placeOrder']);

/** Errors of every operation that accepts an Idempotency-Key. */
const WITH_KEY: [string, number, Ask][] = [
  ['a bad Idempotency-Key', 400, (id) => send(id, { headers: { ...JSON_TYPE, 'Idempotency-Key': '' } })],
  [
    'an Idempotency-Key of another request',
    422,
    async (id) => {
      await withIdempotencyKey('createPet');
      return withIdempotencyKey(id, { body: `${await made(sample(id).body ?? '')} ` });
    },
  ],
  [
    'an Idempotency-Key in use',
    409,
    async (id) => {
      const [path, body] = [await made(sample(id).path), await made(sample(id).body ?? '')];
      const error = new ApiError('idempotency_key_in_use', 'On purpose.', { 'Retry-After': '1' });
      jest.spyOn(IdempotencyService.prototype, 'process').mockRejectedValue(error);
      return withIdempotencyKey(id, { body }, path);
    },
  ],
];

/** Operation, name of the case, status and request. */
export const cases = [
  ...Object.entries(SAMPLES).flatMap(([id, { success = 200, free = false, body }]) =>
    [...EVERY, ...(body === undefined ? [] : BODIES), ...(IDEMPOTENT.has(id) ? WITH_KEY : [])]
      .filter(([name, status]) => !(free && status === 429) && !(id === 'getUsage' && name === NARROWED))
      .map(([name, status, ask]): [string, string, number, Ask] => [id, name, status === 200 ? success : status, ask]),
  ),
  ...SOME,
  ...EVENT_CASES,
];
