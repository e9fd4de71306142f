import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { CategoriesService } from '../../../src/categories/categories.service.js';
import { KeysService } from '../../../src/accounts/keys/keys.service.js';
import { SCOPES } from '../../../src/auth/keys/scopes.js';
import { ApiKeysRepository } from '../../../src/auth/keys/api-keys.repository.js';
import { EventFeed } from '../../../src/event-feed/event-feed.service.js';
import { Deliveries } from '../../../src/kernel.js';
import { PetsService } from '../../../src/pets/index.js';
import { OrdersService } from '../../../src/store/orders.service.js';
import { RequestValidationPipe } from '../../../src/http/validation/request-validation.pipe.js';
import { UsageHistory, UsageRecorder } from '../../../src/rate-limit/history/usage-history.js';
import { WebhookDeliveries } from '../../../src/webhooks/webhook-deliveries.js';
import { WebhooksService } from '../../../src/webhooks/webhooks.service.js';
import type { TestApp } from '../../support/app.js';
import { JSON_TYPE } from '../../support/http.js';
import { PET, subject, WEBHOOK } from './subject.js';

export interface Sample {
  /** A path that succeeds. A function if each call needs a new resource. */
  readonly path: string | (() => Promise<string>);
  /** A path that no other request has put into the cache. */
  readonly uncached?: string;
  readonly method?: string;
  readonly body?: string | (() => Promise<string>);
  readonly success?: number;
  /** True if the operation does not count against the plan. */
  readonly free?: boolean;
  /** Makes the service that the operation calls fail. */
  readonly fail: (error: Error) => void;
}

const failing =
  <T>(service: Type<T>, method: keyof T & string) =>
  (error: Error): void => {
    const found = subject.service.app.get<unknown, Record<string, () => Promise<never>>>(service);
    jest.spyOn(found, method).mockRejectedValue(error);
  };

const POST = { method: 'POST', success: 201 } as const;
const newKey = async () => `/v1/keys/${await subject.newKeyId()}`;
const newOrder = async () => `/v1/store/orders/${await subject.newOrderId()}`;

export const SAMPLES: Record<string, Sample> = {
  listPets: {
    path: '/v1/pets?limit=1&status=available',
    uncached: '/v1/pets?limit=77',
    fail: failing(PetsService, 'list'),
  },
  createPet: { ...POST, path: '/v1/pets', body: PET, fail: failing(PetsService, 'create') },
  getPet: { path: '/v1/pets/1', uncached: '/v1/pets/77', fail: failing(PetsService, 'get') },
  changePet: { path: '/v1/pets/1', method: 'PATCH', body: '{"name":"Bella"}', fail: failing(PetsService, 'change') },
  removePet: {
    path: () => subject.newPet('available'),
    method: 'DELETE',
    success: 204,
    fail: failing(PetsService, 'remove'),
  },
  placeOrder: {
    ...POST,
    path: '/v1/store/orders',
    body: async () => `{"petId":${await subject.newPetId()}}`,
    fail: failing(OrdersService, 'place'),
  },
  listOrders: { path: '/v1/store/orders?limit=1', fail: failing(OrdersService, 'list') },
  getOrder: { path: newOrder, fail: failing(OrdersService, 'get') },
  changeOrder: { path: newOrder, method: 'PATCH', body: '{"status":"approved"}', fail: failing(OrdersService, 'move') },
  listCategories: { path: '/v1/categories?limit=1', fail: failing(CategoriesService, 'list') },
  createCategory: {
    ...POST,
    path: '/v1/categories',
    body: '{"name":"Dogs"}',
    fail: failing(CategoriesService, 'create'),
  },
  getCategory: { path: '/v1/categories/1', fail: failing(CategoriesService, 'get') },
  changeCategory: {
    path: '/v1/categories/1',
    method: 'PATCH',
    body: '{"name":"Dogs"}',
    fail: failing(CategoriesService, 'change'),
  },
  getUsage: {
    path: '/v1/usage',
    free: true,
    fail: (error) =>
      void jest.spyOn(RequestValidationPipe.prototype, 'transform').mockImplementation(() => {
        throw error;
      }),
  },
  getUsageHistory: {
    path: '/v1/usage/history?interval=hour&by=outcome',
    free: true,
    fail: failing(UsageHistory, 'ofAccount'),
  },
  createKey: {
    ...POST,
    path: '/v1/keys',
    body: '{"scopes":["pets:read"],"expiresInSeconds":60}',
    fail: failing(KeysService, 'createKey'),
  },
  listKeys: { path: '/v1/keys?limit=1', fail: failing(ApiKeysRepository, 'pageOf') },
  getKey: { path: newKey, fail: failing(ApiKeysRepository, 'get') },
  changeKey: {
    path: newKey,
    method: 'PATCH',
    body: '{"name":"Import","paused":true}',
    fail: failing(KeysService, 'change'),
  },
  getKeyUsage: { path: async () => `${await newKey()}/usage`, fail: failing(ApiKeysRepository, 'get') },
  rotateKey: {
    ...POST,
    path: async () => `${await newKey()}/rotate`,
    body: '{}',
    fail: failing(KeysService, 'rotate'),
  },
  revokeKey: { path: newKey, method: 'DELETE', success: 204, fail: failing(KeysService, 'revoke') },
  listEvents: { path: '/v1/events?limit=1', fail: failing(EventFeed, 'page') },
  createWebhook: { ...POST, path: '/v1/webhooks', body: WEBHOOK, fail: failing(WebhooksService, 'create') },
  listWebhooks: { path: '/v1/webhooks?limit=1', fail: failing(WebhooksService, 'list') },
  getWebhook: { path: '/v1/webhooks/1', fail: failing(WebhooksService, 'get') },
  changeWebhook: {
    path: '/v1/webhooks/1',
    method: 'PATCH',
    body: '{"enabled":true}',
    fail: failing(WebhooksService, 'change'),
  },
  removeWebhook: {
    path: () => subject.spareWebhook(),
    method: 'DELETE',
    success: 204,
    fail: failing(WebhooksService, 'remove'),
  },
  rotateWebhook: {
    path: '/v1/webhooks/1/rotate',
    method: 'POST',
    body: '{}',
    fail: failing(WebhooksService, 'rotate'),
  },
  testWebhook: { ...POST, path: '/v1/webhooks/1/test', fail: failing(WebhookDeliveries, 'test') },
  listDeliveries: { path: '/v1/webhooks/1/deliveries?limit=1', fail: failing(Deliveries, 'page') },
  replayDeliveries: {
    ...POST,
    path: '/v1/webhooks/1/replay',
    body: '{"since":"2026-11-21T12:00:00.000Z"}',
    fail: failing(WebhookDeliveries, 'repeat'),
  },
};

export type Ask = (id: string) => Promise<Response>;

export const made = async (text: string | (() => Promise<string>)) => (typeof text === 'string' ? text : text());

/** @throws Error if the operation has no sample */
export function sample(id: string): Sample {
  const found = SAMPLES[id];
  if (found === undefined) throw new Error(`There is no sample of ${id}.`);
  return found;
}

/** Sends the sample request of an operation, with changes. */
export async function send(id: string, more: Parameters<TestApp['request']>[1] = {}, path?: string): Promise<Response> {
  const { path: usual, method = 'GET', body } = sample(id);
  const init = body === undefined ? { method } : { method, body: await made(body), headers: JSON_TYPE };
  return subject.service.request(path ?? (await made(usual)), { key: subject.key, ...init, ...more });
}

export const withHeaders =
  (headers: Readonly<Record<string, string>>): Ask =>
  (id) =>
    send(id, { headers: { ...(sample(id).body !== undefined && JSON_TYPE), ...headers } });

export const withBody =
  (body: string): Ask =>
  (id) =>
    send(id, { body });

/** Sends a body to an operation that takes none. */
export const withUnaskedBody =
  (body: string, type = 'application/json'): Ask =>
  (id) =>
    send(id, { headers: { 'Content-Type': type }, body });

export const at =
  (path: Sample['path'], more: Parameters<typeof send>[1] = {}): Ask =>
  async (id) =>
    send(id, more, await made(path));

/** Gets a history that has items. */
export const historyBy =
  (split: string): Ask =>
  async (id) => {
    await subject.service.app.get(UsageRecorder).run();
    return send(id, {}, `/v1/usage/history?by=${split}`);
  };

/** Returns the path of a pet with an open order. */
export async function heldPet(): Promise<string> {
  const path = await subject.newPet('available');
  await subject.service.app.get(PetsService).reserve(path.slice('/v1/pets/'.length));
  return path;
}

/** Calls until a key of the plan has no request left for the operation. */
export const exhaustPlan =
  (plan: 'free' | 'pro', calls: number): Ask =>
  async (id) => {
    const busy = await subject.service.key({ plan });
    for (let call = 0; call < calls; call += 1) await send(id, { key: busy });
    return send(id, { key: busy });
  };

/** Calls with a key that an operator has changed. */
export const after =
  (change: (keys: KeysService, keyId: string) => Promise<unknown>): Ask =>
  async (id) => {
    const changed = await subject.service.createKey({ scopes: SCOPES });
    await change(subject.service.app.get(KeysService), changed.id);
    return send(id, { key: changed });
  };
