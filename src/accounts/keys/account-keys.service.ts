import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/config/clock.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { AdminKeysService } from './admin-keys.service.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository } from '../../auth/keys/api-keys.repository.js';
import type { AuditedOperation } from '../../auth/keys/audit-record.entity.js';
import { detailsOf, type IssuedKey, type KeyDetails, type RotatedKey } from './key.dto.js';
import type { KeyOptions, KeyPatch } from './key-options.js';
import { KnownScopes, MANAGE_KEYS } from '../../auth/keys/scopes.js';
import { type Caller, callerOf, refusalOf, scopeNeeded } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import type { Page } from '../../database/paging/page.js';
import { ApiError, listed } from '../../http/errors/problem.js';
import type { PageQuery } from '../../http/validation/query-params.js';
import { CounterStore } from '../../rate-limit/counter-store.js';
import type { UsageReport } from '../../rate-limit/windows/decision.js';
import * as rules from './key-rules.js';

/**
 * The operations of a key on the keys of its account. Audit records name the calling key, the actor of the request. A change
 * takes effect in this process when its promise is fulfilled, and in other processes within a second.
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
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key, by default with all scopes of the calling key except `keys:manage`, and with its expiry.
   * @throws (rejects) also DomainError `validation_failed` if the key would outlive the calling key
   */
  async create(options: KeyOptions, caller: Caller): Promise<IssuedKey> {
    this.checkKnown(options.scopes ?? []);
    await this.checkRoom(this.database.manager, caller);
    return this.act(caller, async (own, operation) => {
      const { name, scopes = own.scopes.split(' ').filter((scope) => scope !== MANAGE_KEYS) } = options;
      const expiresInMs = rules.lifetimeWithin(own, options.expiresInMs, operation.atMs);
      rules.checkScopesWithin(own, scopes);
      await this.checkRoom(operation.manager, own);
      const newKey = { account: own.account.name, plan: own.account.plan, name, scopes, expiresInMs };
      return this.operations.createKey(newKey, own.expiresAt ?? undefined);
    });
  }

  /** A page of keys, oldest first. */
  async list(query: PageQuery, { accountId }: Caller): Promise<Page<KeyDetails>> {
    const page = await this.keys.pageOf(this.database.manager, accountId, query);
    return { ...page, items: page.items.map(detailsOf) };
  }

  async get(id: string, { accountId }: Caller): Promise<KeyDetails> {
    return detailsOf(await this.keys.get(this.database.manager, { id, accountId }));
  }

  /** The requests of a key in the account's current windows. */
  async usage(id: string, { accountId }: Caller): Promise<UsageReport> {
    const key = await this.keys.get(this.database.manager, { id, accountId });
    return this.counters.peek(callerOf(key));
  }

  /**
   * Creates a successor with the scopes and lifetime of a key, which stays valid for `overlapMs` milliseconds unless it
   * expires earlier. The successor expires no later than the calling key.
   * @throws (rejects) also DomainError `api_key_retired`
   */
  async rotate(id: string, overlapMs: number, caller: Caller): Promise<RotatedKey> {
    if (overlapMs > 0) await this.checkRoom(this.database.manager, caller);
    return this.act(caller, async (own, operation) => {
      const key = await this.keys.get(operation.manager, { id, accountId: own.accountId });
      rules.checkNotRetired(key, operation.atMs);
      rules.checkScopesWithin(own, key.scopes.split(' '));
      if (overlapMs > 0) await this.checkRoom(operation.manager, own);
      return this.operations.rotate(id, overlapMs, own.expiresAt ?? undefined);
    });
  }

  /**
   * Renames, pauses or resumes a key, or takes scopes from it.
   * @throws (rejects) also DomainError `api_key_retired` for a revoked or expired key; `validation_failed` for more scopes
   */
  change(id: string, patch: KeyPatch, caller: Caller): Promise<KeyDetails> {
    return this.act(caller, async (own, { manager, atMs }) => {
      const key = await this.keys.get(manager, { id, accountId: own.accountId });
      rules.checkNotEnded(key, atMs);
      rules.checkNarrower(key, patch.scopes ?? []);
      return this.operations.change(id, patch);
    });
  }

  /** Revokes a key. Does nothing if it is revoked already. */
  revoke(id: string, caller: Caller): Promise<void> {
    return this.act(caller, async (own, { manager }) => {
      await this.keys.get(manager, { id, accountId: own.accountId });
      await this.operations.revoke(id);
    });
  }

  /** Runs `work` with the calling key as it is now, which can have fewer rights than at admission. */
  private act<T>(caller: Caller, work: (own: ApiKey, operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.operations.operate(async (operation) => {
      const own = await this.keys.get(operation.manager, { id: caller.keyId });
      const refusal = refusalOf(own, operation.atMs);
      if (refusal !== undefined) throw ApiError.of(refusal);
      const held = own.scopes.split(' ');
      if (!held.includes(MANAGE_KEYS)) throw ApiError.of(scopeNeeded(MANAGE_KEYS, held));
      return work(own, operation);
    });
  }

  private checkKnown(scopes: readonly string[]): void {
    const { names } = this.scopes;
    if (scopes.every((scope) => names.has(scope))) return;
    throw new DomainError('validation_failed', `scopes must have only known scopes: ${listed([...names], ', ', 50)}.`);
  }

  /** Called before an operation too, so that one that is refused anyway does not wait for others. */
  private async checkRoom(manager: EntityManager, { accountId }: Pick<ApiKey, 'accountId'>): Promise<void> {
    const active = await this.keys.countActive(manager, accountId, this.clock.nowMs());
    if (active >= rules.MOST_ACTIVE_KEYS) throw rules.keyLimitReached(active);
  }
}
