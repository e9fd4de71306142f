import type { EntityManager } from 'typeorm';
import type { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { generateApiKey, generateKeyId, hashApiKey, maskApiKey } from './api-key-format.js';
import { audit, type Operation } from './audit.js';
import { AuditRecord } from './audit-record.entity.js';
import { type Limits, limitsOf, type PlanName } from './plan.js';

/** A key that was just made: the only time that it is known in full. */
export interface IssuedKey {
  readonly id: string;
  /** The secret, `psk_live_...` or `psk_test_...`. */
  readonly key: string;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** Unix time in milliseconds; `null` for never. */
  readonly expiresAt: number | null;
}

/** What a new key is to be like. */
export interface KeySpec {
  readonly scopes: readonly string[];
  /** `null` for a key that never expires. */
  readonly lifetimeMs: number | null;
  readonly kind: 'live' | 'test';
}

/** Makes a key and keeps what will recognise it. */
export async function issueKey(operation: Operation, account: Account, spec: KeySpec): Promise<IssuedKey> {
  const { manager, atMs } = operation;
  const { scopes, lifetimeMs } = spec;
  const key = generateApiKey(spec.kind);
  const id = generateKeyId();
  const masked = maskApiKey(key);
  await manager.insert(ApiKey, {
    id,
    accountId: account.id,
    sha256: hashApiKey(key),
    masked,
    scopes: scopes.join(' '),
    createdAt: atMs,
    expiresAt: lifetimeMs === null ? null : atMs + lifetimeMs,
    revokedAt: null,
    lastUsedAt: null,
    bansLiftedAt: null,
  });
  await audit(operation, 'key.created', { account, keyId: id }, { masked, scopes, lifetimeMs });
  return {
    id,
    key,
    account: account.name,
    plan: account.plan,
    limits: limitsOf(account),
    scopes,
    expiresAt: lifetimeMs === null ? null : atMs + lifetimeMs,
  };
}

/** What a key was made to be, which is what its successor gets: rotations may have cut its life short since. */
export async function specOf(manager: EntityManager, key: ApiKey): Promise<KeySpec> {
  const record = await manager.findOneByOrFail(AuditRecord, { keyId: key.id, action: 'key.created' });
  const { lifetimeMs } = JSON.parse(record.detail) as Pick<KeySpec, 'lifetimeMs'>;
  return { scopes: key.scopes.split(' '), lifetimeMs, kind: key.masked.startsWith('psk_test_') ? 'test' : 'live' };
}
