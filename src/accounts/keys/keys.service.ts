import { Injectable } from '@nestjs/common';
import type { Account } from '../../auth/keys/account.entity.js';
import { generateApiKey, generateKeyId, hashApiKey } from '../../auth/keys/api-key-format.js';
import { keyFault, keyKindOf, maskApiKey } from '../../auth/keys/api-key-format.js';
import { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository, KeyChanges } from '../../auth/keys/api-keys.repository.js';
import { audit, type AuditAction, type AuditedOperation, lockAudit } from '../../auth/keys/audit-record.entity.js';
import { DEFAULT_SCOPES } from '../../auth/keys/scopes.js';
import { Database } from '../../database/database.js';
import { Events } from '../../database/events/events.js';
import { onTransactionEnd } from '../../database/transaction.js';
import { Clock, HOUR_MS, rfc3339 } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { accountFor, getAccount } from '../accounts.js';
import type { ApiKeyChange } from './key-requests.dto.js';
import { detailsOf, type IssuedKey, KEY_EVENTS, type KeyDetails } from './key-responses.dto.js';
import { type RotatedKey, type ShownKey, shownToOperators } from './key-responses.dto.js';
import { changesOf, checkDuration, checkName, checkScopes, invalid, type NewKey } from './key-options.js';

/** By how much `lastUsedAt` can be earlier than the last use, in milliseconds, because it is written every 5 seconds. */
const LAST_USE_DELAY_MS = 6_000;
/** By how much a last use can be ahead of the clock of this process. */
const CLOCK_DIFFERENCE_MS = HOUR_MS;
/** Stands for the lifetime of a key that does not expire. */
const NO_EXPIRY = 0;
const UNUSED = { successorId: null, revokedAt: null, pausedAt: null, lastUsedAt: null, bansLiftedAt: null };

/**
 * Operations on keys, in the name of the current actor. Each joins the transaction of its caller, at whose end the
 * change is in effect in this process and those that share Redis with it; other processes follow within a second.
 * @throws (rejects) DomainError `validation_failed` for an invalid operation, such as one on a revoked key;
 * `api_key_not_found` for an unknown id
 */
@Injectable()
export class KeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    private readonly keys: ApiKeysRepository,
    private readonly events: Events,
    private readonly changes: KeyChanges,
  ) {
    events.declare(KEY_EVENTS);
  }

  /** Creates a key that expires at `latestExpiryMs` at the latest, and the account if it does not exist. */
  createKey(newKey: NewKey, latestExpiryMs?: number): Promise<IssuedKey> {
    return this.operate(async (operation) => {
      const { name, scopes = DEFAULT_SCOPES, expiresInMs } = newKey;
      const grants = {
        name: name === undefined ? null : checkName(name),
        scopes: checkScopes(scopes),
        lifetimeMs: expiresInMs === undefined ? NO_EXPIRY : checkDuration('lifetime', expiresInMs, 1),
      };
      return this.issue(operation, await accountFor(operation, newKey), grants, latestExpiryMs);
    });
  }

  /** All keys by account, or those of one account, oldest first, in pages. */
  async *listKeys(account?: string): AsyncGenerator<ShownKey[]> {
    const accountId = account === undefined ? undefined : (await getAccount(this.database.manager, account)).id;
    const { manager } = this.database;
    let page = await this.keys.page(manager, undefined, accountId);
    for (; page.length > 0; page = await this.keys.page(manager, page.at(-1), accountId))
      yield page.map(shownToOperators);
  }

  async showKey(id: string): Promise<ShownKey> {
    return shownToOperators(await this.keys.get(this.database.manager, { id }));
  }

  /** The key with a text, which is looked up by its hash. */
  async findKey(text: string): Promise<ShownKey> {
    const fault = keyFault(text.trim(), keyKindOf(this.env));
    if (fault !== undefined) throw invalid(`This is not an API key. ${fault}`);
    const key = await this.keys.find(this.database.manager, { sha256: hashApiKey(text.trim()) });
    if (key === null) throw invalid('No API key has this text. It may have been deleted.');
    return shownToOperators(key);
  }

  /** Revokes a key permanently. @returns `false` if it was revoked already */
  revoke(id: string): Promise<boolean> {
    return this.operate(async (operation) => {
      const key = await this.keys.get(operation.manager, { id });
      if (key.revokedAt !== null) return false;
      const revoked = await this.update(operation, key, { revokedAt: operation.atMs }, 'key.revoked');
      await this.raise(operation, 'key.revoked', key, revoked);
      return true;
    });
  }

  /** Renames, pauses or resumes a key, or replaces its scopes. Does nothing where the key is so already. */
  change(id: string, patch: ApiKeyChange): Promise<KeyDetails> {
    return this.operate(async (operation) => {
      const before = await this.keys.getUsable(operation.manager, id, operation.atMs);
      let after = before;
      for (const [columns, action, detail] of changesOf(before, patch, operation.atMs))
        after = await this.update(operation, after, columns, action, detail);
      if (after !== before) await this.raise(operation, 'key.changed', before, after);
      return detailsOf(after);
    });
  }

  /**
   * Creates a successor with the account, scopes and lifetime of a key, which expires at `latestExpiryMs` at the latest. The
   * old key keeps working for `overlapMs`, unless it expires earlier.
   */
  rotate(id: string, overlapMs: number, latestExpiryMs?: number): Promise<RotatedKey> {
    return this.operate(async (operation) => {
      const key = await this.keys.getUsable(operation.manager, id);
      if (key.pausedAt !== null) throw invalid(`The key ${id} is paused. Resume it first.`);
      const expiresAt = Math.min(key.expiresAt ?? Infinity, operation.atMs + checkDuration('overlap', overlapMs, 0));
      // Older versions of the service did not store it. Once `expiresAt` is changed, it can no longer be derived.
      const derivedMs = key.expiresAt === null ? NO_EXPIRY : Math.max(1, key.expiresAt - key.createdAt);
      const lifetimeMs = key.lifetimeMs ?? derivedMs;
      const issued = await this.issue(operation, key.account, { ...key, lifetimeMs }, latestExpiryMs);
      const detail = { successor: issued.id, expiresAt };
      const changes = { expiresAt, successorId: issued.id, lifetimeMs };
      const rotated = await this.update(operation, key, changes, 'key.rotated', detail);
      await this.raise(operation, 'key.changed', key, rotated);
      return { ...issued, replaces: key.id, replacedExpiresAt: rfc3339(expiresAt) };
    });
  }

  /** Lifts the ban of a key and resets its strikes. */
  unban(id: string): Promise<void> {
    return this.operate(async (operation) => {
      const key = await this.keys.getUsable(operation.manager, id);
      // A ban begins with a use of the key. By the clock of this process, which can be behind, it may not have begun yet.
      const lastUseMs = Math.min((key.lastUsedAt ?? 0) + LAST_USE_DELAY_MS, operation.atMs + CLOCK_DIFFERENCE_MS);
      const bansLiftedAt = Math.max(operation.atMs, lastUseMs);
      await this.update(operation, key, { bansLiftedAt }, 'key.unbanned');
    });
  }

  /** Runs operations on keys in a transaction, one after the other. */
  operate<T>(work: (operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await lockAudit(manager);
      return work({ manager, atMs: this.clock.nowMs() });
    });
  }

  private async issue(
    operation: AuditedOperation,
    account: Account,
    { name, scopes, lifetimeMs }: Pick<ApiKey, 'name' | 'scopes'> & { readonly lifetimeMs: number },
    latestExpiryMs = Infinity,
  ): Promise<IssuedKey> {
    const { manager, atMs: createdAt } = operation;
    const key = generateApiKey(keyKindOf(this.env));
    const [sha256, masked] = [hashApiKey(key), maskApiKey(key)];
    const expiryMs = Math.min(lifetimeMs === NO_EXPIRY ? Infinity : createdAt + lifetimeMs, latestExpiryMs);
    const expiresAt = expiryMs === Infinity ? null : expiryMs;
    const granted = { id: generateKeyId(), name, sha256, masked, scopes, createdAt, expiresAt, lifetimeMs };
    await manager.insert(ApiKey, { ...granted, ...UNUSED, accountId: account.id });
    const details = detailsOf({ ...granted, ...UNUSED, account });
    const { id, ...rest } = details;
    const detail = { name, masked, scopes: rest.scopes, lifetimeMs: lifetimeMs || null, expiresAt };
    await audit(operation, 'key.created', account.id, id, detail);
    await this.events.raise(manager, 'key.created', () => ({ before: undefined, after: details }), account.id);
    return { id, key, ...rest };
  }

  private async update(
    operation: AuditedOperation,
    key: ApiKey,
    changes: Partial<ApiKey>,
    action: AuditAction,
    detail: object = {},
  ): Promise<ApiKey> {
    const { id: keyId, accountId } = key;
    onTransactionEnd(() => this.changes.announce({ accountId, keyId }));
    await operation.manager.update(ApiKey, keyId, changes);
    await audit(operation, action, accountId, keyId, detail);
    return { ...key, ...changes };
  }

  private raise({ manager }: AuditedOperation, name: 'key.changed' | 'key.revoked', from: ApiKey, to: ApiKey) {
    return this.events.raise(manager, name, () => ({ before: detailsOf(from), after: detailsOf(to) }), to.accountId);
  }
}
