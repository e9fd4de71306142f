import { Injectable } from '@nestjs/common';
import { DomainError } from '../platform/index.js';
import {
  AdminKeysService,
  type ApiKey,
  ApiKeysRepository,
  type AuditedOperation,
  detailsOf,
  type IssuedKey,
  type KeyDetails,
  type KeyOptions,
  KnownScopes,
  MANAGE_KEYS,
  type RotatedKey,
} from '../accounts/index.js';
import { type Caller, callerOf, refusalOf, scopeNeeded } from '../auth/index.js';
import { Database, type Page } from '../database/index.js';
import { ApiError } from '../http/index.js';
import { CounterStore, type UsageReport } from '../rate-limit/index.js';
import { checkNotRetired, checkScopesWithin, keyLimitReached, lifetimeWithin, MOST_ACTIVE_KEYS } from './key-rules.js';

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
    private readonly keys: ApiKeysRepository,
    private readonly operations: AdminKeysService,
    private readonly counters: CounterStore,
    private readonly scopes: KnownScopes,
  ) {}

  /**
   * Creates a key, by default with all scopes of the calling key except `keys:manage`, and with its expiry.
   * @throws (rejects) also DomainError `validation_failed` if the key would outlive the calling key
   */
  create(options: KeyOptions, caller: Caller): Promise<IssuedKey> {
    return this.act(caller, async (own, operation) => {
      const { name, scopes = own.scopes.split(' ').filter((scope) => scope !== MANAGE_KEYS) } = options;
      this.checkKnown(options.scopes ?? []);
      const expiresInMs = lifetimeWithin(own, options.expiresInMs, operation.atMs);
      checkScopesWithin(own, scopes);
      await this.checkRoom(operation, own);
      const newKey = { account: own.account.name, plan: own.account.plan, name, scopes, expiresInMs };
      return this.operations.createKey(newKey, own.id, own.expiresAt ?? undefined);
    });
  }

  /**
   * A page of keys, oldest first.
   * @param after id of the last key of the previous page
   * @throws (rejects) DomainError `validation_failed` if the account has no such key
   */
  list(limit: number, after: string | undefined, { accountId }: Caller): Promise<Page<KeyDetails>> {
    return this.database.read(async (manager) => {
      const last = after === undefined ? undefined : await this.keys.find(manager, { id: after, accountId });
      if (last === null)
        throw new DomainError('validation_failed', 'after must be the identifier of an API key of this account.');
      const { items, nextAfter } = await this.keys.pageOf(manager, accountId, limit, last);
      // Keys are never deleted, so an identifier is enough of a cursor.
      return { items: items.map(detailsOf), nextAfter: nextAfter && items.at(-1)?.id };
    });
  }

  get(id: string, { accountId }: Caller): Promise<KeyDetails> {
    return this.database.read(async (manager) => detailsOf(await this.keys.get(manager, { id, accountId })));
  }

  /** The requests of a key in the account's current windows. */
  async usage(id: string, { accountId }: Caller): Promise<UsageReport> {
    const key = await this.database.read((manager) => this.keys.get(manager, { id, accountId }));
    return this.counters.peek(callerOf(key));
  }

  /**
   * Creates a successor with the scopes and lifetime of a key, which stays valid for `overlapMs` milliseconds unless it
   * expires earlier. The successor expires no later than the calling key.
   * @throws (rejects) also DomainError `api_key_retired`
   */
  rotate(id: string, overlapMs: number, caller: Caller): Promise<RotatedKey> {
    return this.act(caller, async (own, operation) => {
      const key = await this.keys.get(operation.manager, { id, accountId: own.accountId });
      checkNotRetired(key, operation.atMs);
      checkScopesWithin(own, key.scopes.split(' '));
      if (overlapMs > 0) await this.checkRoom(operation, own);
      return this.operations.rotate(id, overlapMs, own.id, own.expiresAt ?? undefined);
    });
  }

  /** Revokes a key. Does nothing if it is revoked already. */
  revoke(id: string, caller: Caller): Promise<void> {
    return this.act(caller, async (own, { manager }) => {
      await this.keys.get(manager, { id, accountId: own.accountId });
      await this.operations.revoke(id, own.id);
    });
  }

  /** Runs `work` with the calling key as it is now, which can have fewer rights than at admission. */
  private act<T>(caller: Caller, work: (own: ApiKey, operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.operations.operate(caller.keyId, async (operation) => {
      const own = await this.keys.get(operation.manager, { id: caller.keyId });
      const refusal = refusalOf(own, operation.atMs);
      if (refusal !== undefined) throw ApiError.of(refusal);
      if (!own.scopes.split(' ').includes(MANAGE_KEYS)) throw ApiError.of(scopeNeeded(MANAGE_KEYS));
      return work(own, operation);
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

  private async checkRoom({ manager, atMs }: AuditedOperation, { accountId }: ApiKey): Promise<void> {
    const active = await this.keys.countActive(manager, accountId, atMs);
    if (active >= MOST_ACTIVE_KEYS) throw keyLimitReached(active);
  }
}
