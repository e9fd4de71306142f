import { Injectable } from '@nestjs/common';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import {
  type Account,
  audit,
  type AuditedOperation,
  type AuditRecord,
  InvalidOperationError,
  limitsOf,
} from '../accounts/index.js';
import { Env } from '../config/index.js';
import { onTransactionEnd } from '../database/index.js';
import { DomainError } from '../errors/index.js';
import { Events } from '../events/index.js';
import { ApiKey } from './api-key.entity.js';
import { generateApiKey, generateKeyId, hashApiKey, keyKindOf, maskApiKey } from './api-key-format.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeyChangeNotifier } from './key-change-notifier.js';
import { type IssuedKey, type RotatedKey, toListing } from './key-listing.js';
import { checkDuration, checkScopes, type KeySpec, specOf, storedLifetime } from './key-spec.js';

/** By how much `lastUsedAt` can be earlier than the last use, in milliseconds, because it is written every 5 seconds. */
const LAST_USE_DELAY_MS = 6_000;

/**
 * Operations on keys, for all actors. Each runs in the caller's transaction, writes its audit record there, and notifies
 * caches.
 */
@Injectable()
export class KeyOperations {
  constructor(
    private readonly env: Env,
    private readonly keys: ApiKeysRepository,
    private readonly notifier: KeyChangeNotifier,
    private readonly events: Events,
  ) {}

  /** @throws (rejects) DomainError `api_key_not_found` */
  async find(manager: EntityManager, where: FindOptionsWhere<ApiKey>): Promise<ApiKey> {
    const key = await this.keys.find(manager, where);
    if (key === null) throw keyNotFound();
    return key;
  }

  /**
   * Creates a key and stores its hash.
   * @param latestExpiryMs upper bound of the expiry time, in Unix time in milliseconds
   */
  async issue(
    operation: AuditedOperation,
    account: Account,
    spec: KeySpec,
    latestExpiryMs = Infinity,
  ): Promise<IssuedKey> {
    const { manager, atMs } = operation;
    const { name, scopes, lifetimeMs } = spec;
    const key = generateApiKey(keyKindOf(this.env));
    const id = generateKeyId();
    const masked = maskApiKey(key);
    const expiryMs = Math.min(atMs + (lifetimeMs ?? Infinity), latestExpiryMs);
    const expiresAt = expiryMs === Infinity ? null : expiryMs;
    const stored = {
      id,
      accountId: account.id,
      name,
      sha256: hashApiKey(key),
      masked,
      scopes: scopes.join(' '),
      createdAt: atMs,
      expiresAt,
      lifetimeMs: storedLifetime(spec),
      successorId: null,
      revokedAt: null,
      lastUsedAt: null,
      bansLiftedAt: null,
    };
    await manager.insert(ApiKey, stored);
    await audit(operation, 'key.created', { account, keyId: id }, { name, masked, scopes, lifetimeMs, expiresAt });
    this.notifier.keyIssued(key);
    const listing = toListing({ ...stored, account });
    await this.events.raise(manager, 'key.created', operation.actor, () => ({ before: undefined, after: listing }));
    return { ...listing, key, limits: limitsOf(account) };
  }

  /** Revokes a key for good. @returns `false` if it was revoked already */
  async revoke(operation: AuditedOperation, key: ApiKey): Promise<boolean> {
    if (key.revokedAt !== null) return false;
    await this.change(operation, key, { revokedAt: operation.atMs }, 'key.revoked');
    await this.events.raise(operation.manager, 'key.revoked', operation.actor, () => ({
      before: toListing(key),
      after: toListing({ ...key, revokedAt: operation.atMs }),
    }));
    return true;
  }

  /**
   * Replaces the scopes of a key.
   * @throws (rejects) InvalidOperationError if the key is revoked or a scope is invalid
   */
  async changeScopes(operation: AuditedOperation, key: ApiKey, scopes: readonly string[]): Promise<ApiKey> {
    checkUsable(key);
    const [from, to] = [key.scopes.split(' '), checkScopes(scopes)];
    if (from.toSorted().join() === to.toSorted().join()) return key;
    const changed = { scopes: to.join(' ') };
    await this.change(operation, key, changed, 'key.scopes_changed', { from, to });
    return { ...key, ...changed };
  }

  /**
   * Creates a successor with the account, scopes and lifetime of a key. The old key keeps working for `overlapMs`
   * milliseconds, unless it expires earlier.
   * @param latestExpiryMs upper bound of the successor's expiry time, in Unix time in milliseconds
   * @throws (rejects) InvalidOperationError if the key is revoked or the overlap is invalid
   */
  async rotate(
    operation: AuditedOperation,
    key: ApiKey,
    overlapMs: number,
    latestExpiryMs = Infinity,
  ): Promise<RotatedKey> {
    checkUsable(key);
    const overlapEndMs = operation.atMs + checkDuration('overlap', overlapMs, 0);
    const replacedExpiresAt = Math.min(key.expiresAt ?? Infinity, overlapEndMs);
    const spec = specOf(key);
    const issued = await this.issue(operation, key.account, spec, latestExpiryMs);
    const changed = {
      expiresAt: replacedExpiresAt,
      successorId: issued.id,
      // An unknown lifetime can no longer be derived from `expiresAt`.
      lifetimeMs: storedLifetime(spec),
    };
    const detail = { successor: issued.id, expiresAt: replacedExpiresAt };
    await this.change(operation, key, changed, 'key.rotated', detail);
    return { ...issued, replaces: key.id, replacedExpiresAt };
  }

  /**
   * Lifts the ban of a key and resets its strikes.
   * @throws (rejects) InvalidOperationError if the key is revoked
   */
  async unban(operation: AuditedOperation, key: ApiKey): Promise<void> {
    checkUsable(key);
    // A ban begins with a use of the key. By the clock of this process, which can be behind, it may not have begun yet.
    const bansLiftedAt = Math.max(operation.atMs, (key.lastUsedAt ?? 0) + LAST_USE_DELAY_MS);
    await this.change(operation, key, { bansLiftedAt }, 'key.unbanned');
  }

  private async change(
    operation: AuditedOperation,
    key: ApiKey,
    changes: Partial<ApiKey>,
    action: AuditRecord['action'],
    detail: object = {},
  ): Promise<void> {
    const { id: keyId, accountId, account } = key;
    onTransactionEnd(() => this.notifier.keysChanged([{ accountId, keyId }]));
    await operation.manager.update(ApiKey, keyId, changes);
    await audit(operation, action, { account, keyId }, detail);
  }
}

/** Does not quote the given id: by mistake, it may be the key itself. */
export function keyNotFound(): DomainError {
  return new DomainError('api_key_not_found', 'There is no API key with this id. Ids look like key_0123456789abcdef.');
}

function checkUsable({ id, revokedAt }: ApiKey): void {
  if (revokedAt === null) return;
  throw new InvalidOperationError(
    `The key ${id} was revoked at ${new Date(revokedAt).toISOString()}; create a new one.`,
  );
}
