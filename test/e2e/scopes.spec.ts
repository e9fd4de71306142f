import { beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';

const NEEDED: Readonly<Record<string, string>> = {
  listPets: 'pets:read',
  createPet: 'pets:write',
  getPet: 'pets:read',
  changePet: 'pets:write',
  removePet: 'pets:write',
  listCategories: 'categories:read',
  createCategory: 'categories:write',
  getCategory: 'categories:read',
  changeCategory: 'categories:write',
  placeOrder: 'orders:write',
  listOrders: 'orders:read',
  getOrder: 'orders:read',
  changeOrder: 'orders:write',
  getUsageHistory: 'usage:read',
  listEvents: 'events:read',
  createKey: 'keys:manage',
  listKeys: 'keys:manage',
  getKey: 'keys:manage',
  changeKey: 'keys:manage',
  getKeyUsage: 'keys:manage',
  rotateKey: 'keys:manage',
  revokeKey: 'keys:manage',
  createWebhook: 'webhooks:manage',
  listWebhooks: 'webhooks:manage',
  getWebhook: 'webhooks:manage',
  changeWebhook: 'webhooks:manage',
  removeWebhook: 'webhooks:manage',
  rotateWebhook: 'webhooks:manage',
  testWebhook: 'webhooks:manage',
  listDeliveries: 'webhooks:manage',
  replayDeliveries: 'webhooks:manage',
};

/** Method and path of each operation, with some identifier. */
const operations = new Map<string, { readonly method: string; readonly path: string }>();

sharePreparedApp();
beforeAll(async () => {
  const { body } = await service.json<{ paths: Record<string, Record<string, { operationId?: string }>> }>(
    '/openapi.json',
  );
  for (const [path, item] of Object.entries(body.paths))
    for (const [method, { operationId }] of Object.entries(item))
      if (operationId !== undefined)
        operations.set(operationId, { method: method.toUpperCase(), path: `/v1${path.replace(/\{\w+\}/, '404')}` });
});

describe('an operation', () => {
  it('needs one scope, except for getUsage', () => {
    expect([...operations.keys()].toSorted()).toEqual([...Object.keys(NEEDED), 'getUsage'].toSorted());
  });

  it.each(Object.entries(NEEDED))('needs its scope and no other: %s %s', async (operation, scope) => {
    const { method, path } = operations.get(operation) ?? { method: '', path: '' };
    const call = async (scopes: readonly string[]) =>
      service.request(path, { key: await service.key({ ...AMPLE, scopes }), method });
    expect(await errorOf(await call(SCOPES.filter((one) => one !== scope)))).toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringMatching(new RegExp(`; this operation needs ${scope}\\.$`)),
    });
    expect((await call([scope])).status).not.toBe(403);
  });
});
