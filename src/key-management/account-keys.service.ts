import { Injectable } from '@nestjs/common';
import { Clock } from '../config/index.js';
import { type AuditedOperation, beginOperation } from '../accounts/index.js';
import {
  type ApiKey,
  ApiKeysRepository,
  type IssuedKey,
  type KeyListing,
  KeyOperations,
  type KeyOptions,
  KnownScopes,
  keySpec,
  MANAGE_KEYS,
  type RotatedKey,
  toListing,
} from '../api-keys/index.js';
import { type Caller, callerOf, isCaller, scopeNeeded, verdictOn } from '../auth/index.js';
import { Database, type Page } from '../database/index.js';
import { ApiError, DomainError } from '../errors/index.js';
import { CounterStore, type UsageReport } from '../rate-limit/index.js';
import { type Authority, checkScopesWithin, lifetimeWithin } from './authority.js';

/** Maximum number of active keys of an account over HTTP. The command line has no such limit. */
export const MOST_ACTIVE_KEYS = 100;

/**
 * The operations of a key on the keys of its account. Audit records name the calling key. A change takes effect in this
 * process when its promise is fulfilled, and in other processes within a second.
 * @throws (rejects) DomainError `api_key_not_found` for a key of another account; `insufficient_scope` if the caller lacks a
 * scope that it gives, or can no longer manage keys; `api_key_limit_reached`; 401 if the calling key is no longer valid
 */
@Injectable()
export class AccountKeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly keys: ApiKeysRepository,
    private readonly operations: KeyOperations,
    private readonly counters: CounterStore,
    private readonly scopes: KnownScopes,
  ) {}

  /**
   * Creates a key, by default with all scopes of the calling key except `keys:manage`, and with its expiry.
   * @throws (rejects) also DomainError `validation_failed` if the key would outlive the calling key
   */
  create(options: KeyOptions, caller: Caller): Promise<IssuedKey> {
    return this.act(caller, async (operation, authority) => {
      const { account, scopes } = authority;
      this.checkKnown(options.scopes ?? []);
      const expiresInMs = lifetimeWithin(authority, options.expiresInMs, operation.atMs);
      const spec = keySpec(
        { ...options, expiresInMs },
        [...scopes].filter((scope) => scope !== MANAGE_KEYS),
      );
      checkScopesWithin(authority, spec.scopes);
      await this.checkRoom(operation, authority);
      return this.operations.issue(operation, account, spec);
    });
  }

  /**
   * A page of keys, oldest first.
   * @param after id of the last key of the previous page
   * @throws (rejects) DomainError `validation_failed` if the account has no such key
   */
  list(limit: number, after: string | undefined, { accountId }: Caller): Promise<Page<KeyListing>> {
    return this.database.read(async (manager) => {
      const last = after === undefined ? undefined : await this.keys.find(manager, { id: after, accountId });
      if (last === null)
        throw new DomainError('validation_failed', 'after must be the identifier of an API key of this account.');
      const { items, nextAfter } = await this.keys.pageOf(manager, accountId, limit, last);
      // Keys are never deleted, so an identifier is enough of a cursor.
      return { items: items.map(toListing), nextAfter: nextAfter && items.at(-1)?.id };
    });
  }

  get(id: string, { accountId }: Caller): Promise<KeyListing> {
    return this.database.read(async (manager) => toListing(await this.operations.find(manager, { id, accountId })));
  }

  /** The requests of a key in the account's current windows. */
  async usage(id: string, { accountId }: Caller): Promise<UsageReport> {
    const key = await this.database.read((manager) => this.operations.find(manager, { id, accountId }));
    return this.counters.peek(callerOf(key));
  }

  /**
   * Creates a successor with the scopes and lifetime of a key, which stays valid for `overlapMs` milliseconds unless it
   * expires earlier. The successor expires no later than the calling key.
   * @throws (rejects) also DomainError `api_key_retired`
   */
  rotate(id: string, overlapMs: number, caller: Caller): Promise<RotatedKey> {
    return this.act(caller, async (operation, authority) => {
      const key = await this.operations.find(operation.manager, { id, accountId: authority.account.id });
      checkNotRetired(operation, key);
      checkScopesWithin(authority, key.scopes.split(' '));
      if (overlapMs > 0) await this.checkRoom(operation, authority);
      return this.operations.rotate(operation, key, overlapMs, authority.expiresAtMs);
    });
  }

  /** Revokes a key. Does nothing if it is revoked already. */
  revoke(id: string, caller: Caller): Promise<void> {
    return this.act(caller, async (operation, { account }) => {
      const key = await this.operations.find(operation.manager, { id, accountId: account.id });
      await this.operations.revoke(operation, key);
    });
  }

  /** Runs `work` with the current rights of the calling key, which can be fewer than at admission. */
  private act<T>(caller: Caller, work: (operation: AuditedOperation, by: Authority) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      const operation = await beginOperation(manager, caller.keyId, this.clock.nowMs());
      const own = await this.operations.find(manager, { id: caller.keyId });
      const verdict = verdictOn(own, callerOf(own), operation.atMs);
      if (!isCaller(verdict)) throw ApiError.of(verdict);
      const { scopes } = verdict;
      if (!scopes.has(MANAGE_KEYS)) throw ApiError.of(scopeNeeded(MANAGE_KEYS));
      return work(operation, { account: own.account, scopes, expiresAtMs: own.expiresAt ?? Infinity });
    });
  }

  private checkKnown(scopes: readonly string[]): void {
    const { names } = this.scopes;
    if (scopes.every((scope) => names.includes(scope))) return;
    throw new DomainError(
      'validation_failed',
      `scopes must be a list of one or more of ${names.join(', ')}, each once.`,
    );
  }

  private async checkRoom({ manager, atMs }: AuditedOperation, { account }: Authority): Promise<void> {
    const active = await this.keys.countActive(manager, account.id, atMs);
    if (active < MOST_ACTIVE_KEYS) return;
    throw keyLimitReached(active);
  }
}

export function keyLimitReached(active: number): DomainError {
  return new DomainError(
    'api_key_limit_reached',
    `The account has ${active} active API keys; the maximum is ${MOST_ACTIVE_KEYS}. Revoke one first.`,
  );
}

function checkNotRetired({ atMs }: AuditedOperation, key: ApiKey): void {
  if (key.revokedAt !== null) throw keyRevoked(key.id);
  if (key.successorId !== null) {
    throw retired(`The key ${key.id} has a successor. Rotate ${key.successorId}, or create a new key.`);
  }
  if (key.expiresAt !== null && key.expiresAt <= atMs)
    throw retired(`The key ${key.id} has expired. Create a new key.`);
}

export function keyRevoked(id: string): DomainError {
  return retired(`The key ${id} was revoked. Create a new key.`);
}

function retired(message: string): DomainError {
  return new DomainError('api_key_retired', message);
}
