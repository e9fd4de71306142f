import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository } from '../../auth/keys/api-keys.repository.js';
import type { AuditedOperation } from '../../auth/keys/audit-record.entity.js';
import { KnownScopes, MANAGE_KEYS } from '../../auth/keys/scopes.js';
import { refusalOf, scopeNeeded } from '../../auth/bearer-token.js';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { ApiError } from '../../http/errors/problem.js';
import { Clock } from '../../platform/config/clock.js';
import type { KeyOptions } from './key-options.js';
import type { ApiKeyChange } from './key-requests.dto.js';
import type { IssuedKey, KeyDetails, RotatedKey } from './key-responses.dto.js';
import * as rules from './key-rules.js';
import { KeysService } from './keys.service.js';

/**
 * Lets a key operate on the keys of its account, within its rules. Audit records name the calling key, the actor of the
 * request.
 * @throws (rejects) DomainError `api_key_not_found` for a key of another account; `insufficient_scope` if the caller lacks a
 * scope that it gives, or can no longer manage keys; `api_key_limit_reached`; 401 if the calling key is no longer valid
 */
@Injectable()
export class AccountKeysService {
  constructor(
    private readonly database: Database,
    private readonly stored: ApiKeysRepository,
    private readonly keys: KeysService,
    private readonly scopes: KnownScopes,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key, by default with all scopes of the calling key except `keys:manage`, and with its expiry.
   * @throws (rejects) also DomainError `validation_failed` if the key would outlive the calling key
   */
  async create(options: KeyOptions, caller: Caller): Promise<IssuedKey> {
    rules.checkKnown(options.scopes ?? [], this.scopes.names);
    await this.checkRoom(caller);
    return this.act(caller, async (own, { atMs }) => {
      const { name, scopes = own.scopes.split(' ').filter((scope) => scope !== MANAGE_KEYS) } = options;
      const expiresInMs = rules.lifetimeWithin(own, options.expiresInMs, atMs);
      rules.checkScopesWithin(own, scopes);
      await this.checkRoom(own);
      const newKey = { account: own.account.name, plan: own.account.plan, name, scopes, expiresInMs };
      return this.keys.createKey(newKey, own.expiresAt ?? undefined);
    });
  }

  /**
   * Creates a successor, which expires no later than the calling key.
   * @throws (rejects) also DomainError `api_key_retired`
   */
  async rotate(id: string, overlapMs: number, caller: Caller): Promise<RotatedKey> {
    if (overlapMs > 0) await this.checkRoom(caller);
    return this.act(caller, async (own, { manager, atMs }) => {
      const key = await this.stored.get(manager, { id, accountId: own.accountId });
      rules.checkNotRetired(key, atMs);
      rules.checkScopesWithin(own, key.scopes.split(' '));
      if (overlapMs > 0) await this.checkRoom(own);
      return this.keys.rotate(id, overlapMs, own.expiresAt ?? undefined);
    });
  }

  /**
   * Renames, pauses or resumes a key, or takes scopes from it.
   * @throws (rejects) also DomainError `api_key_retired` for a revoked or expired key; `validation_failed` for more scopes
   */
  change(id: string, patch: ApiKeyChange, caller: Caller): Promise<KeyDetails> {
    return this.act(caller, async ({ accountId }, { manager, atMs }) => {
      const key = await this.stored.get(manager, { id, accountId });
      rules.checkNotEnded(key, atMs);
      rules.checkNarrower(key, patch.scopes ?? []);
      return this.keys.change(id, patch);
    });
  }

  /** Revokes a key. Does nothing if it is revoked already. */
  revoke(id: string, caller: Caller): Promise<void> {
    return this.act(caller, async ({ accountId }, { manager }) => {
      await this.stored.get(manager, { id, accountId });
      await this.keys.revoke(id);
    });
  }

  /** Runs `work` with the calling key as it is now, which can have fewer rights than at admission. */
  private act<T>(caller: Caller, work: (own: ApiKey, operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.keys.operate(async (operation) => {
      const own = await this.stored.get(operation.manager, { id: caller.keyId });
      const refusal = refusalOf(own, operation.atMs);
      if (refusal !== undefined) throw ApiError.of(refusal);
      const held = own.scopes.split(' ');
      if (!held.includes(MANAGE_KEYS)) throw ApiError.of(scopeNeeded(MANAGE_KEYS, held));
      return work(own, operation);
    });
  }

  /** Called before an operation too, so that one that is refused anyway does not wait for others. */
  private async checkRoom({ accountId }: Pick<ApiKey, 'accountId'>): Promise<void> {
    const active = await this.stored.countActive(this.database.manager, accountId, this.clock.nowMs());
    if (active >= rules.MOST_ACTIVE_KEYS) throw rules.keyLimitReached(active);
  }
}
