import { Injectable } from '@nestjs/common';
import type { Account } from '../../auth/keys/account.entity.js';
import { accountFor, type AccountSummary, changePlan, getAccount, summariseAccounts } from '../accounts.js';
import {
  audit,
  type AuditAction,
  type AuditedOperation,
  type AuditEntry,
  readAudit,
} from '../../auth/keys/audit-record.entity.js';
import {
  type CustomLimits,
  InvalidOperationError,
  type Limits,
  limitsOf,
  type PlanName,
  planTerms,
} from '../../auth/keys/plan.js';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { Database } from '../../database/database.js';
import { Events } from '../../database/events/events.js';
import { lockUntilCommit } from '../../database/locks.js';
import { onTransactionEnd } from '../../database/transaction.js';
import { keyKindOf } from '../../auth/keys/api-key-format.js';
import { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository } from '../../auth/keys/api-keys.repository.js';
import { type KeyChange, KeyChanges } from '../../auth/keys/key-changes.js';
import { generateKey, type KeyGrants, lifetimeOf, NO_EXPIRY } from './generate-key.js';
import { changesOf, checkDuration, checkName, checkScopes, type KeyPatch, type NewKey } from './key-options.js';
import { detailsOf, type IssuedKey, type KeyDetails, rfc3339, type RotatedKey } from './key.dto.js';
import { DEFAULT_SCOPES } from '../../auth/keys/scopes.js';

/** By how much `lastUsedAt` can be earlier than the last use, in milliseconds, because it is written every 5 seconds. */
const LAST_USE_DELAY_MS = 6_000;

/**
 * Operations on keys and accounts, in the name of the current actor. Each joins the transaction of its caller.
 * When its promise is fulfilled the change is in effect in this process; other processes follow within a second.
 * @throws (rejects) InvalidOperationError for an invalid operation, such as one on a revoked key; DomainError
 * `api_key_not_found` for an unknown id
 */
@Injectable()
export class AdminKeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    private readonly keys: ApiKeysRepository,
    private readonly events: Events,
    private readonly changes: KeyChanges,
  ) {}

  /**
   * Creates a key, and the account if it does not exist.
   * @param latestExpiryMs upper bound of the expiry, in Unix time in milliseconds
   */
  createKey(newKey: NewKey, latestExpiryMs?: number): Promise<IssuedKey> {
    return this.operate(async (operation) => {
      const { name, scopes = DEFAULT_SCOPES, expiresInMs } = newKey;
      const options = {
        name: name === undefined ? null : checkName(name),
        scopes: checkScopes(scopes).join(' '),
        lifetimeMs: expiresInMs === undefined ? NO_EXPIRY : checkDuration('lifetime', expiresInMs, 1),
      };
      return this.issue(operation, await accountFor(operation, newKey), options, latestExpiryMs);
    });
  }

  /** All keys by account, oldest first. */
  async listKeys(): Promise<KeyDetails[]> {
    return (await this.keys.all(this.database)).map(detailsOf);
  }

  /** A key with the identifier of its latest successor, if it has one. */
  async showKey(id: string): Promise<KeyDetails & { successor?: string }> {
    const key = await this.keys.get(this.database.manager, { id });
    return { ...detailsOf(key), ...(key.successorId === null ? {} : { successor: key.successorId }) };
  }

  /** All accounts, oldest first. */
  listAccounts(): Promise<AccountSummary[]> {
    return summariseAccounts(this.database.manager, this.clock.nowMs());
  }

  /** The last audit records, newest first: of all accounts, or of one. */
  async readAudit(name?: string): Promise<AuditEntry[]> {
    const { manager } = this.database;
    return readAudit(manager, name === undefined ? undefined : await getAccount(manager, name));
  }

  /** Revokes a key for good. @returns `false` if it was revoked already */
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
  change(id: string, patch: KeyPatch): Promise<KeyDetails> {
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
   * Creates a successor with the account, scopes and lifetime of a key. The old key keeps working for `overlapMs`
   * milliseconds, unless it expires earlier.
   * @param latestExpiryMs upper bound of the successor's expiry, in Unix time in milliseconds
   */
  rotate(id: string, overlapMs: number, latestExpiryMs?: number): Promise<RotatedKey> {
    return this.operate(async (operation) => {
      const key = await this.keys.getUsable(operation.manager, id);
      if (key.pausedAt !== null) throw new InvalidOperationError(`The key ${id} is paused. Resume it first.`);
      const overlapEndMs = operation.atMs + checkDuration('overlap', overlapMs, 0);
      const expiresAt = Math.min(key.expiresAt ?? Infinity, overlapEndMs);
      // Once `expiresAt` is changed, the lifetime can no longer be derived from it.
      const lifetimeMs = lifetimeOf(key);
      const issued = await this.issue(operation, key.account, { ...key, lifetimeMs }, latestExpiryMs);
      const detail = { successor: issued.id, expiresAt };
      await this.update(operation, key, { expiresAt, successorId: issued.id, lifetimeMs }, 'key.rotated', detail);
      return { ...issued, replaces: key.id, replacedExpiresAt: rfc3339(expiresAt) };
    });
  }

  /** Lifts the ban of a key and resets its strikes. */
  unban(id: string): Promise<void> {
    return this.operate(async (operation) => {
      const key = await this.keys.getUsable(operation.manager, id);
      // A ban begins with a use of the key. By the clock of this process, which can be behind, it may not have begun yet.
      const bansLiftedAt = Math.max(operation.atMs, (key.lastUsedAt ?? 0) + LAST_USE_DELAY_MS);
      await this.update(operation, key, { bansLiftedAt }, 'key.unbanned');
    });
  }

  /** Changes the plan of an account; Enterprise requires both limits. @returns the new limits */
  changePlan(name: string, plan: PlanName, limits: CustomLimits): Promise<Limits> {
    return this.operate(async (operation) => {
      const terms = planTerms(plan, limits);
      const { id } = await changePlan(operation, name, terms);
      this.notifyAtEnd({ accountId: id, keyId: null });
      return limitsOf(terms);
    });
  }

  /**
   * Runs operations on keys in a transaction. They are serialised over all instances, so that each sees the result of the
   * one before, and audit records become visible in the order of their numbers; the poller of key changes relies on that.
   */
  operate<T>(work: (operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await lockUntilCommit(manager, 'key operations');
      return work({ manager, atMs: this.clock.nowMs() });
    });
  }

  private async issue(
    operation: AuditedOperation,
    account: Account,
    grants: KeyGrants,
    latestExpiryMs?: number,
  ): Promise<IssuedKey> {
    const { manager, atMs } = operation;
    const { key, stored } = generateKey(keyKindOf(this.env), grants, atMs, latestExpiryMs);
    await manager.insert(ApiKey, { ...stored, accountId: account.id });
    const { name, masked, expiresAt } = stored;
    const details = detailsOf({ ...stored, account });
    const { id, ...rest } = details;
    const lifetimeMs = stored.lifetimeMs === NO_EXPIRY ? null : stored.lifetimeMs;
    await audit(operation, 'key.created', account.id, id, { name, masked, scopes: rest.scopes, lifetimeMs, expiresAt });
    await this.events.raise(manager, 'key.created', () => ({ before: undefined, after: details }));
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
    this.notifyAtEnd({ accountId, keyId });
    await operation.manager.update(ApiKey, keyId, changes);
    await audit(operation, action, accountId, keyId, detail);
    return { ...key, ...changes };
  }

  private raise({ manager }: AuditedOperation, name: 'key.changed' | 'key.revoked', from: ApiKey, to: ApiKey) {
    return this.events.raise(manager, name, () => ({ before: detailsOf(from), after: detailsOf(to) }));
  }

  private notifyAtEnd(change: KeyChange): void {
    onTransactionEnd(() => this.changes.next(change));
  }
}
