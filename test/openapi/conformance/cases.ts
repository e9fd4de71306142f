import { jest } from '@jest/globals';
import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { KeysService } from '../../../src/accounts/keys/keys.service.js';
import { SCOPES } from '../../../src/auth/keys/scopes.js';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { ApiError } from '../../../src/http/errors/api-error.js';
import { runAs } from '../../../src/database/events/actor.js';
import { unavailable } from '../../../src/database/unavailable.js';
import { IdempotencyService } from '../../../src/http/idempotency/idempotency.service.js';
import { notConfigured, WebhookSecrets } from '../../../src/webhooks/webhook-secrets.js';
import type { TestApp } from '../../support/app.js';
import { JSON_TYPE } from '../../support/http.js';
import {
  after,
  type Ask,
  at,
  exhaustPlan,
  heldPet,
  historyBy,
  made,
  sample,
  SAMPLES,
  send,
  withBody,
  withHeaders,
  withUnaskedBody,
} from './samples.js';
import { subject, WEBHOOK } from './subject.js';

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
const crowded: Ask = async (id) => {
  const terms = { account: 'crowded', plan: 'business', scopes: SCOPES } as const;
  const keys = subject.service.app.get(KeysService);
  const { key: first } = await keys.createKey(terms);
  await Promise.all(Array.from({ length: 99 }, () => keys.createKey(terms)));
  return send(id, { key: first });
};

type Case = [id: string, name: string, status: number, ask: Ask];

const each = (ids: readonly string[], name: string, status: number, ask: Ask): Case[] =>
  ids.map((id) => [id, name, status, ask]);

/** Calls an operation on a resource that does not exist. */
const unknown: Ask = async (id) => {
  const path = await made(sample(id).path);
  return send(id, {}, path.replace(/key_\w+/, NO_KEY).replace(/\/\d+/, '/404'));
};

/** Lets the service have no key that encrypts secrets. */
const unconfigured: Ask = (id) => {
  jest.spyOn(subject.service.app.get(WebhookSecrets), 'create').mockImplementation(() => {
    throw notConfigured();
  });
  return send(id);
};

const READS = ['listPets', 'getPet', 'listCategories', 'getCategory', 'listOrders', 'getOrder', 'listKeys'];
const READS_OF_WEBHOOKS = ['listWebhooks', 'getWebhook', 'listDeliveries'];
const OF_ONE_WEBHOOK = ['getWebhook', 'changeWebhook', 'removeWebhook', 'rotateWebhook', 'testWebhook'];
const OF_ONE_KEY = ['getKey', 'changeKey', 'getKeyUsage', 'rotateKey', 'revokeKey'];
const OF_ONE = ['getPet', 'changePet', 'removePet', 'getCategory', 'changeCategory', 'getOrder', 'changeOrder'];
const CONDITIONAL = ['changePet', 'removePet', 'changeCategory', 'changeOrder', 'changeWebhook', 'removeWebhook'];

const SOME: Case[] = [
  ...each([...READS, ...READS_OF_WEBHOOKS], 'what the client has', 304, withHeaders({ 'If-None-Match': '*' })),
  ...each([...READS, ...READS_OF_WEBHOOKS, ...CONDITIONAL], 'an old state', 412, withHeaders({ 'If-Match': '"old"' })),
  ['changePet', 'a precondition that is none', 412, withHeaders({ 'If-Match': 'old' })],
  ...each(
    [...OF_ONE, ...OF_ONE_KEY, ...OF_ONE_WEBHOOK, 'listDeliveries', 'replayDeliveries'],
    'what does not exist',
    404,
    unknown,
  ),
  ...each(['createWebhook', 'rotateWebhook'], 'a service that cannot encrypt', 409, unconfigured),
  ['listPets', 'a last page', 200, at('/v1/pets')],
  ['listCategories', 'a last page', 200, at('/v1/categories?after=9223372036854775806')],
  ['listOrders', 'a last page', 200, at('/v1/store/orders?after=404404')],
  ['listKeys', 'a last page', 200, at('/v1/keys?limit=100')],
  ['listWebhooks', 'a last page', 200, at('/v1/webhooks?limit=100')],
  ['listPets', 'a page without pets', 200, at('/v1/pets?status=sold')],
  ['changePet', 'no status', 200, at(() => subject.newPet('pending'), { body: '{"status":null}' })],
  ['changePet', 'a pet that an order holds', 409, at(heldPet, { body: '{"status":"sold"}' })],
  ['changePet', 'a pet that is sold', 409, at(() => subject.newPet('sold'), { body: '{"status":null}' })],
  ['removePet', 'a pet that an order holds', 409, at(heldPet)],
  ['createCategory', 'an identifier that has a category', 409, withBody('{"name":"Dogs","id":1}')],
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
  ...['key', 'operation', 'outcome'].map((split): Case => ['getUsageHistory', `by ${split}`, 200, historyBy(split)]),
  ['placeOrder', 'an unknown pet', 404, withBody('{"petId":404404}')],
  [
    'placeOrder',
    'a pet that is not available',
    409,
    async (id) => {
      await send('changePet', { body: '{"status":"pending"}' });
      return send(id, { body: '{"petId":1}' });
    },
  ],
  ['changeOrder', 'a status that does not follow', 409, withBody('{"status":"delivered"}')],
  ['createKey', 'no room for another key', 409, crowded],
  ['changeKey', 'no name', 200, withBody('{"name":null}')],
  ['changeKey', 'nothing to change', 400, withBody('{}')],
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
  [
    'listEvents',
    'an old cursor whose event is gone',
    410,
    at(`/v1/events?after=${Buffer.from('0-0').toString('base64url')}`),
  ],
  ['listEvents', 'nothing new', 200, at('/v1/events?after=latest')],
  ['listEvents', 'nothing new, after a wait', 200, withHeaders({ Prefer: 'wait=0' })],
  [
    'createWebhook',
    'no room for another webhook',
    409,
    async (id) => {
      const most = await subject.service.key({ account: 'many webhooks', plan: 'business', scopes: SCOPES });
      for (let n = 0; n < 20; n += 1) await subject.service.post('/v1/webhooks', most, WEBHOOK);
      return send(id, { key: most });
    },
  ],
  [
    'getWebhook',
    'a webhook that was disabled',
    200,
    async (id) => {
      await send('changeWebhook', { body: '{"enabled":false}' });
      return send(id);
    },
  ],
  ['testWebhook', 'malformed JSON, although it takes no body', 400, withUnaskedBody('{')],
  ['testWebhook', 'too large a body, although it takes none', 413, withUnaskedBody(' '.repeat(17_000))],
  ['testWebhook', 'another type, although it takes no body', 415, withUnaskedBody('x', 'text/plain')],
  ['listDeliveries', 'no deliveries', 200, at('/v1/webhooks/1/deliveries?state=failed')],
];

const BODIES: [string, number, Ask][] = [
  ['malformed JSON', 400, withBody('{"name":Bella}')],
  ['an unknown field', 400, withBody('{"colour":"red"}')],
  ['too large a body', 413, withBody(' '.repeat(17_000))],
  ['another media type', 415, withHeaders({ 'Content-Type': 'text/plain' })],
];

const withIdempotencyKey = (id: string, more: Parameters<TestApp['request']>[1] = {}, path?: string) =>
  send(id, { ...more, headers: { ...JSON_TYPE, 'Idempotency-Key': 'the key' } }, path);

const IDEMPOTENT: ReadonlySet<string> = new Set(['createPet', 'createCategory', 'placeOrder']);

const WITH_KEY: [string, number, Ask][] = [
  ['a bad Idempotency-Key', 400, withHeaders({ 'Idempotency-Key': '' })],
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
      .map(([name, status, ask]): Case => [id, name, status === 200 ? success : status, ask]),
  ),
  ...SOME,
];
