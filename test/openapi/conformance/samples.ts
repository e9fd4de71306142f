import { jest } from '@jest/globals';
import { CategoriesService } from '../../../src/categories/categories.service.js';
import { KeysService } from '../../../src/accounts/keys/keys.service.js';
import { ApiKeysRepository } from '../../../src/auth/keys/api-keys.repository.js';
import { PetsService } from '../../../src/pets/index.js';
import { OrdersService } from '../../../src/store/orders.service.js';
import { RequestValidationPipe } from '../../../src/http/validation/request-validation.pipe.js';
import { UsageHistory } from '../../../src/rate-limit/history/usage-history.js';
import type { TestApp } from '../../support/app.js';
import { JSON_TYPE } from '../../support/http.js';
import { EVENT_SAMPLES } from './events.js';
import { PET, subject } from './subject.js';

/** How to call an operation, and how to make it fail. */
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

const failPets = (method: 'list' | 'create' | 'get' | 'change' | 'remove') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(PetsService), method).mockRejectedValue(error);
const failOrders = (method: 'place' | 'list' | 'get' | 'move') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(OrdersService), method).mockRejectedValue(error);
const failCategories = (method: 'list' | 'create' | 'get' | 'change') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(CategoriesService), method).mockRejectedValue(error);
const failKeys = (method: 'createKey' | 'change' | 'rotate' | 'revoke') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(KeysService), method).mockRejectedValue(error);
const failStoredKeys = (method: 'pageOf' | 'get') => (error: Error) =>
  void jest.spyOn(subject.service.app.get(ApiKeysRepository), method).mockRejectedValue(error);

export const SAMPLES: Record<string, Sample> = {
  listPets: { path: '/v1/pets?limit=1&status=available', uncached: '/v1/pets?limit=77', fail: failPets('list') },
  createPet: { path: '/v1/pets', method: 'POST', body: PET, success: 201, fail: failPets('create') },
  getPet: { path: '/v1/pets/1', uncached: '/v1/pets/77', fail: failPets('get') },
  changePet: { path: '/v1/pets/1', method: 'PATCH', body: '{"name":"Bella"}', fail: failPets('change') },
  removePet: { path: () => subject.newPet('available'), method: 'DELETE', success: 204, fail: failPets('remove') },
  placeOrder: {
    path: '/v1/store/orders',
    method: 'POST',
    body: async () => `{"petId":${await subject.newPetId()}}`,
    success: 201,
    fail: failOrders('place'),
  },
  listOrders: { path: '/v1/store/orders?limit=1', fail: failOrders('list') },
  getOrder: { path: async () => `/v1/store/orders/${await subject.newOrderId()}`, fail: failOrders('get') },
  changeOrder: {
    path: async () => `/v1/store/orders/${await subject.newOrderId()}`,
    method: 'PATCH',
    body: '{"status":"approved"}',
    fail: failOrders('move'),
  },
  listCategories: { path: '/v1/categories?limit=1', fail: failCategories('list') },
  createCategory: {
    path: '/v1/categories',
    method: 'POST',
    body: '{"name":"Dogs"}',
    success: 201,
    fail: failCategories('create'),
  },
  getCategory: { path: '/v1/categories/1', fail: failCategories('get') },
  changeCategory: {
    path: '/v1/categories/1',
    method: 'PATCH',
    body: '{"name":"Dogs"}',
    fail: failCategories('change'),
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
    fail: (error) => void jest.spyOn(subject.service.app.get(UsageHistory), 'ofAccount').mockRejectedValue(error),
  },
  createKey: {
    path: '/v1/keys',
    method: 'POST',
    body: '{"scopes":["pets:read"],"expiresInSeconds":60}',
    success: 201,
    fail: failKeys('createKey'),
  },
  listKeys: { path: '/v1/keys?limit=1', fail: failStoredKeys('pageOf') },
  getKey: { path: async () => `/v1/keys/${await subject.newKeyId()}`, fail: failStoredKeys('get') },
  changeKey: {
    path: async () => `/v1/keys/${await subject.newKeyId()}`,
    method: 'PATCH',
    body: '{"name":"Import","paused":true}',
    fail: failKeys('change'),
  },
  getKeyUsage: { path: async () => `/v1/keys/${await subject.newKeyId()}/usage`, fail: failStoredKeys('get') },
  rotateKey: {
    path: async () => `/v1/keys/${await subject.newKeyId()}/rotate`,
    method: 'POST',
    body: '{}',
    success: 201,
    fail: failKeys('rotate'),
  },
  revokeKey: {
    path: async () => `/v1/keys/${await subject.newKeyId()}`,
    method: 'DELETE',
    success: 204,
    fail: failKeys('revoke'),
  },
  ...EVENT_SAMPLES,
};

/** Sends a request that produces the case. */
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
