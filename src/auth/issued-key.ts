import type { EntityManager } from 'typeorm';
import type { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { generateApiKey, generateKeyId, hashApiKey, maskApiKey } from './api-key-format.js';
import { audit, type Operation } from './audit.js';
import { AuditRecord } from './audit-record.entity.js';
import { checkDuration, checkScopes } from './key-rules.js';
import { type Limits, limitsOf, type PlanName } from './plan.js';

/** A key that was just made: the only time that it is known in full. */
export interface IssuedKey {
  readonly id: string;
  /** The secret, `psk_live_...` or `psk_test_...`. */
  readonly key: string;
  /** First and last characters of it. */
  readonly masked: string;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** Unix time in milliseconds. */
  readonly createdAt: number;
  /** Unix time in milliseconds; `null` for never. */
  readonly expiresAt: number | null;
}

/** What may be asked of a new key. */
export interface KeyOptions {
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds from now; never by default. */
  readonly expiresInMs?: number | undefined;
  /** Makes a `psk_test_` key, which works like any other but tells people and scanners what it is for. */
  readonly test?: boolean | undefined;
}

/** What a new key is to be like. */
export interface KeySpec {
  readonly scopes: readonly string[];
  /** `null` for a key that never expires. */
  readonly lifetimeMs: number | null;
  readonly kind: 'live' | 'test';
}

/** @throws KeysError where the options make no key */
export function keySpec({ scopes, expiresInMs, test = false }: KeyOptions, defaultScopes: readonly string[]): KeySpec {
  return {
    scopes: checkScopes(scopes ?? defaultScopes),
    lifetimeMs: expiresInMs === undefined ? null : checkDuration('lifetime', expiresInMs, 1),
    kind: test ? 'test' : 'live',
  };
}

/** Makes a key and keeps what will recognise it. */
export async function issueKey(operation: Operation, account: Account, spec: KeySpec): Promise<IssuedKey> {
  const { manager, atMs } = operation;
  const { scopes, lifetimeMs } = spec;
  const key = generateApiKey(spec.kind);
  const id = generateKeyId();
  const masked = maskApiKey(key);
  const expiresAt = lifetimeMs === null ? null : atMs + lifetimeMs;
  await manager.insert(ApiKey, {
    id,
    accountId: account.id,
    sha256: hashApiKey(key),
    masked,
    scopes: scopes.join(' '),
    createdAt: atMs,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    bansLiftedAt: null,
  });
  await audit(operation, 'key.created', { account, keyId: id }, { masked, scopes, lifetimeMs });
  return {
    id,
    key,
    masked,
    account: account.name,
    plan: account.plan,
    limits: limitsOf(account),
    scopes,
    createdAt: atMs,
    expiresAt,
  };
}

/** What a key was made to be, which is what its successor gets: rotations may have cut its life short since. */
export async function specOf(manager: EntityManager, key: ApiKey): Promise<KeySpec> {
  const record = await manager.findOneByOrFail(AuditRecord, { keyId: key.id, action: 'key.created' });
  const { lifetimeMs } = JSON.parse(record.detail) as Pick<KeySpec, 'lifetimeMs'>;
  return { scopes: key.scopes.split(' '), lifetimeMs, kind: key.masked.startsWith('psk_test_') ? 'test' : 'live' };
}
