import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, jest } from '@jest/globals';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { unavailable } from '../../src/database/unavailable.js';
import type { ErrorCode } from '../../src/platform/errors/error-codes.js';
import { PetsService } from '../../src/pets/index.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { FakeClock, type TestApp } from '../support/app.js';
import { type ErrorObject } from '../support/expectations.js';
import { JSON_TYPE } from '../support/http.js';
import { fetchDocument, operationsOf } from './document.js';
import { service, sharePreparedApp } from '../support/folders.js';

const PET = '{"name":"Bella","categoryId":1,"status":"available"}';

/** Key identifiers are random. */
const KEY_ID = /key_[0-9A-Za-z]{16}/g;

const clock = new FakeClock();
let key: string;
sharePreparedApp({ clock }, async () => {
  key = await service.key({ plan: 'business', scopes: SCOPES });
  await service.post('/v1/pets', key, PET);
  await service.post('/v1/categories', key, '{"name":"Dogs","id":1}');
});

type Init = Parameters<TestApp['request']>[1];

const get = (path: string, init: Init = {}) => service.request(path, { key, ...init });
const send = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
  service.request(path, { key, method, body, headers: { ...JSON_TYPE, ...headers } });

async function idOf(response: Promise<Response>): Promise<string> {
  return String(((await (await response).json()) as { id: number | string }).id);
}

/** Returns the path of a pet with an open order. */
async function heldPet(): Promise<string> {
  const id = await idOf(service.post('/v1/pets', key, PET));
  await service.app.get(PetsService).reserve(id);
  return `/v1/pets/${id}`;
}

async function withKey(terms: Parameters<TestApp['key']>[0], call: (key: string, id: string) => Promise<Response>) {
  const { key: made, id } = await service.createKey({ scopes: SCOPES, ...terms });
  return call(made, id);
}

/** Repeats the call until the response has this status. */
async function until(status: number, call: () => Promise<Response>): Promise<Response> {
  let response = await call();
  for (let n = 0; response.status !== status && n < 1_000; n += 1) response = await call();
  return response;
}

/** Simulates a request timeout as Node reports it. */
async function late(): Promise<Response> {
  const server = service.app.getHttpServer() as Server;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(service.port, '127.0.0.1');
  const [socket] = await accepted;
  client.write('GET /v1/pets HTTP/1.1\r\n');
  server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  const response = await text(client);
  return new Response(response.slice(response.indexOf('\r\n\r\n') + 4));
}

/** The calls that cause each error, one for each message in the document. */
const CALLS: Readonly<Partial<Record<ErrorCode, readonly (() => Promise<Response>)[]>>> = {
  missing_api_key: [() => service.request('/v1/pets')],
  invalid_api_key: [() => get('/v1/pets', { key: generateApiKey('live') })],
  api_key_expired: [
    () =>
      withKey({ expiresInMs: 1_000 }, (expired) => {
        clock.advanceSeconds(2);
        return get('/v1/pets', { key: expired });
      }),
  ],
  api_key_revoked: [
    () =>
      withKey({}, async (revoked, id) => {
        await service.app.get(KeysService).revoke(id);
        return get('/v1/pets', { key: revoked });
      }),
  ],
  api_key_paused: [
    () =>
      withKey({}, async (paused, id) => {
        await service.app.get(KeysService).change(id, { paused: true });
        return get('/v1/pets', { key: paused });
      }),
  ],
  insufficient_scope: [
    () => withKey({ scopes: ['orders:read', 'orders:write'] }, (narrow) => get('/v1/pets', { key: narrow })),
  ],
  validation_failed: [() => get('/v1/pets?page=1'), () => send('PATCH', '/v1/pets/1', '{"colour":"red"}')],
  internal_error: [
    () => {
      jest.spyOn(service.app.get(PetsRepository), 'page').mockRejectedValueOnce(new Error('on purpose'));
      return get('/v1/pets?limit=71');
    },
  ],
  service_unavailable: [
    () => {
      jest.spyOn(service.app.get(PetsRepository), 'page').mockRejectedValueOnce(unavailable());
      return get('/v1/pets?limit=72');
    },
  ],
  rate_limit_exceeded: [
    () => withKey({ plan: 'pro' }, (poor) => until(429, () => get('/v1/pets', { key: poor }))),
    () => withKey({ plan: 'pro' }, (poor) => until(429, () => get('/v1/usage', { key: poor }))),
  ],
  api_key_banned: [
    () =>
      withKey({ plan: 'enterprise', perMinute: 1, perDay: 9 }, async (poor) => {
        for (let n = 0; n < 2; n += 1) await get('/v1/pets', { key: poor });
        return get('/v1/pets', { key: poor });
      }),
  ],
  malformed_json: [() => send('POST', '/v1/pets', '{"name":Bella}')],
  payload_too_large: [() => send('POST', '/v1/pets', ' '.repeat(17_000))],
  headers_too_large: [() => send('POST', '/v1/pets', PET, { 'X-Large': 'x'.repeat(17_000) })],
  unsupported_media_type: [() => send('POST', '/v1/pets', PET, { 'Content-Type': 'text/plain' })],
  request_timeout: [late],
  pet_not_found: [() => get('/v1/pets/404')],
  operation_removed: [
    async () => {
      clock.set('2030-12-05T00:00:00Z');
      const response = await get('/v1/pets/1');
      clock.set('2026-11-21T12:00:00Z');
      return response;
    },
  ],
  invalid_status_transition: [
    async () => {
      const id = await idOf(service.post('/v1/pets', key, '{"name":"Bella","categoryId":1,"status":"sold"}'));
      return send('PATCH', `/v1/pets/${id}`, '{"status":"pending"}');
    },
    async () => {
      const petId = await idOf(service.post('/v1/pets', key, PET));
      const id = await idOf(service.post('/v1/store/orders', key, `{"petId":${petId}}`));
      return send('PATCH', `/v1/store/orders/${id}`, '{"status":"delivered"}');
    },
  ],
  pet_in_order: [
    async () => send('PATCH', await heldPet(), '{"status":"sold"}'),
    async () => get(await heldPet(), { method: 'DELETE' }),
  ],
  precondition_failed: [() => send('PATCH', '/v1/pets/1', '{}', { 'If-Match': '"another"' })],
  idempotency_key_reused: [
    async () => {
      const again = { 'Idempotency-Key': 'again' };
      await send('POST', '/v1/pets', PET, again);
      return send('POST', '/v1/pets', `${PET} `, again);
    },
  ],
  category_exists: [() => send('POST', '/v1/categories', '{"name":"Dogs","id":1}')],
  category_not_found: [() => get('/v1/categories/404')],
  pet_not_available: [
    async () => {
      await send('PATCH', '/v1/pets/1', '{"status":"pending"}');
      return send('POST', '/v1/store/orders', '{"petId":1}');
    },
  ],
  order_not_found: [() => get('/v1/store/orders/404')],
  api_key_not_found: [() => get('/v1/keys/key_0000000000000000')],
  api_key_retired: [
    () =>
      withKey({}, async (manager) => {
        const id = await idOf(service.post('/v1/keys', manager, '{}'));
        await get(`/v1/keys/${id}`, { key: manager, method: 'DELETE' });
        return service.post(`/v1/keys/${id}/rotate`, manager, '{}');
      }),
  ],
  api_key_limit_reached: [() => withKey({}, (manager) => until(409, () => service.post('/v1/keys', manager, '{}')))],
};

/** Needs two concurrent requests, as on PostgreSQL, and the table of an extension. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(['idempotency_key_in_use', 'conflict']);

/** Returns all distinct errors in the document. */
async function documentedErrors(): Promise<ErrorObject[]> {
  const responses = operationsOf(await fetchDocument(service)).flatMap((operation) =>
    Object.values(operation.responses),
  );
  const values = responses.flatMap(({ content }): unknown[] => {
    const { example, examples = {} } = content?.['application/json'] ?? {};
    return [example, ...Object.values(examples).map((named) => ('value' in named ? named.value : undefined))];
  });
  const texts = new Set(values.filter(isError).map((error) => JSON.stringify(error)));
  return [...texts].map((one) => JSON.parse(one) as ErrorObject);
}

function isError(value: unknown): value is ErrorObject {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}

const inOrder = (errors: readonly ErrorObject[]) =>
  errors.map((error) => JSON.stringify(error).replaceAll(KEY_ID, 'key_...')).toSorted();

describe('the error examples of the document', () => {
  it('are the errors that requests return', async () => {
    const received: ErrorObject[] = [];
    for (const calls of Object.values(CALLS))
      for (const call of calls) received.push((await (await call()).json()) as ErrorObject);
    const documented = (await documentedErrors()).filter(({ code }) => !OUT_OF_REACH.has(code));
    expect(inOrder(received)).toEqual(inOrder(documented));
  });
});
