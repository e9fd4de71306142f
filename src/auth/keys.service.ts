import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../config/index.js';
import { Database } from '../database/index.js';
import { Account } from './account.entity.js';
import { type AccountRequest, accountFor, findAccount } from './accounts.js';
import { ApiKey } from './api-key.entity.js';
import { audit, beginOperation, type Operation } from './audit.js';
import { type IssuedKey, issueKey, type KeyOptions, keySpec } from './issued-key.js';
import { type KeyListing, listKeys } from './key-listing.js';
import { checkUsable, findKey, revokeKey, type RotatedKey, rotateKey } from './key-operations.js';
import { planTerms } from './key-rules.js';
import { KeyVerifier } from './key-verifier.js';
import { type CustomLimits, type Limits, limitsOf, type PlanName } from './plan.js';
import { DEFAULT_SCOPES } from './scopes.js';

/** A key to be made; it has all scopes but `keys:manage` unless some are named. */
export interface NewKey extends AccountRequest, KeyOptions {}

/**
 * Operations on keys and accounts. Each takes the actor, as audit records name it, and leaves its audit records in its
 * own transaction. Once its promise is fulfilled it holds in this process; other processes follow within a second.
 * @throws (rejects) KeysError when an operation can't be done as asked; ApiError api_key_not_found for an unknown id
 */
@Injectable()
export class KeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly verifier: KeyVerifier,
  ) {}

  /** Makes a key, and the account when there is none of that name. */
  createKey(newKey: NewKey, actor: string): Promise<IssuedKey> {
    return this.database.write((manager) => this.createKeyIn(manager, newKey, actor));
  }

  /** `createKey` as part of the caller's own transaction. */
  async createKeyIn(manager: EntityManager, newKey: NewKey, actor: string): Promise<IssuedKey> {
    const operation = await this.operation(manager, actor);
    const spec = keySpec(newKey, DEFAULT_SCOPES);
    return issueKey(operation, await accountFor(operation, newKey), spec);
  }

  /** All keys, oldest first. */
  listKeys(): Promise<KeyListing[]> {
    return this.database.read(listKeys);
  }

  /** Ends a key for good. Fulfilled with whether it did: `false` for a key that was revoked before. */
  revoke(id: string, actor: string): Promise<boolean> {
    return this.changeKey(id, actor, revokeKey);
  }

  /**
   * Makes a key with the account, scopes and lifetime of another, which works on for `overlapMs` milliseconds unless
   * it expires before.
   */
  rotate(id: string, overlapMs: number, actor: string): Promise<RotatedKey> {
    return this.changeKey(id, actor, (operation, key) => rotateKey(operation, key, overlapMs));
  }

  /** Puts an account on a plan; Enterprise needs both limits. Fulfilled with the limits that hold from now on. */
  async changePlan(name: string, plan: PlanName, limits: CustomLimits, actor: string): Promise<Limits> {
    const terms = planTerms(plan, limits);
    const account = await this.database.write(async (manager) => {
      const operation = await this.operation(manager, actor);
      const found = await findAccount(manager, name);
      const from = { plan: found.plan, perMinute: found.perMinute, perDay: found.perDay };
      await manager.update(Account, found.id, terms);
      await audit(operation, 'account.plan_changed', { account: found }, { from, to: terms });
      return found;
    });
    this.verifier.forget([{ accountId: account.id, keyId: null }]);
    return limitsOf(terms);
  }

  /** Lifts a key's ban, and forgets what would count towards the next. */
  unban(id: string, actor: string): Promise<void> {
    return this.changeKey(id, actor, async (operation, key) => {
      checkUsable(key);
      await operation.manager.update(ApiKey, id, { bansLiftedAt: operation.atMs });
      await audit(operation, 'key.unbanned', { account: key.account, keyId: id }, {});
    });
  }

  private async changeKey<T>(
    id: string,
    actor: string,
    change: (operation: Operation, key: ApiKey) => Promise<T>,
  ): Promise<T> {
    const [accountId, result] = await this.database.write(async (manager) => {
      const operation = await this.operation(manager, actor);
      const key = await findKey(manager, { id });
      return [key.accountId, await change(operation, key)] as const;
    });
    this.verifier.forget([{ accountId, keyId: id }]);
    return result;
  }

  private operation(manager: EntityManager, actor: string): Promise<Operation> {
    return beginOperation(manager, actor, this.clock.nowMs());
  }
}
