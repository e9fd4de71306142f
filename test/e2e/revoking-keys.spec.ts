import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import type { Caller } from '../../src/auth/caller.js';
import { isCaller } from '../../src/auth/bearer.guard.js';
import { KeyVerifier } from '../../src/auth/authentication/key-verifier.js';
import { KeysController } from '../../src/accounts/keys/keys.controller.js';
import { errorOf } from '../support/expectations.js';
import { KeysApi, created, keyIn, NOON } from '../support/keys-api.js';

const api = new KeysApi();
const { codeOf, create, get, issue, list, revoke, trail } = api;

beforeAll(api.start);
afterAll(api.stop);
beforeEach(api.reset);

const keys = () => api.service.app.get(KeysController);
/** Requests that are refused set no header. */
const NO_REPLY = {} as FastifyReply;

async function managingCaller(): Promise<Caller> {
  const caller = await api.service.app.get(KeyVerifier).verify(api.manager.key);
  if (caller === undefined || !isCaller(caller)) throw new Error('The key of the manager is not valid.');
  return caller;
}

describe('revokeKey', () => {
  it('revokes a key from the next request on, and changes nothing the second time', async () => {
    const { id, key } = await created(await create());
    expect(await codeOf(key)).toBe('ok');
    const response = await revoke(id);
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(await codeOf(key)).toBe('api_key_revoked');
    api.clock.advanceSeconds(5);
    expect((await revoke(id)).status).toBe(204);
    expect(await keyIn(await get(id))).toHaveProperty('revokedAt', NOON);
    expect(await trail(id)).toEqual([`key.created by ${api.manager.id}`, `key.revoked by ${api.manager.id}`]);
  });

  it('lets a key revoke itself, which is then refused', async () => {
    expect((await revoke(api.manager.id)).status).toBe(204);
    expect(await errorOf(await create())).toMatchObject({ status: 401, code: 'api_key_revoked' });
  });

  it('refuses writes of requests that were admitted before it', async () => {
    const caller = await managingCaller();
    const sibling = await issue({ scopes: SCOPES });
    await revoke(api.manager.id);
    const late = [
      () => keys().createKey({}, caller, NO_REPLY),
      () => keys().rotateKey(sibling.id, { overlapSeconds: 0 }, caller, NO_REPLY),
      () => keys().revokeKey(sibling.id, caller),
    ];
    for (const act of late) {
      await expect(act()).rejects.toMatchObject({
        problem: {
          code: 'api_key_revoked',
          headers: { 'www-authenticate': 'Bearer realm="petstore", error="invalid_token"' },
        },
      });
    }
    expect(await (await list('', sibling.key)).json()).toHaveLength(2);
  });
});

describe('a key that lost keys:manage after it was admitted', () => {
  it('can no longer change keys', async () => {
    const caller = await managingCaller();
    await api.operator.change(api.manager.id, { scopes: ['pets:read'] });
    await expect(keys().revokeKey(api.manager.id, caller)).rejects.toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('keys:manage'),
    });
    const late = keys().createKey({}, caller, NO_REPLY);
    await expect(late).rejects.toHaveProperty('code', 'insufficient_scope');
    expect(await codeOf(api.manager.key)).toBe('ok');
  });
});
