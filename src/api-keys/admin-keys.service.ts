import { Injectable } from '@nestjs/common';
import {
  type Account,
  accountFor,
  accountNamed,
  type AccountRequest,
  type AuditedOperation,
  beginOperation,
  changePlan,
  type CustomLimits,
  type Limits,
  limitsOf,
  type PlanName,
  planTerms,
} from '../accounts/index.js';
import { Clock } from '../config/index.js';
import { Database } from '../database/index.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysRepository, type KeyPosition } from './api-keys.repository.js';
import { KeyChangeNotifier } from './key-change-notifier.js';
import { type IssuedKey, type KeyListing, type RotatedKey, toListing } from './key-listing.js';
import { KeyOperations } from './key-operations.js';
import { type KeyOptions, keySpec } from './key-spec.js';
import { DEFAULT_SCOPES } from './scopes.js';

/** Large enough for few round trips, small enough not to block writers. */
const KEYS_PER_PAGE = 1_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A key to be created; without scopes it gets every scope except `keys:manage`. */
export interface NewKey extends AccountRequest, KeyOptions {}

/**
 * Operations on keys and accounts for operators; `KeyOperations` describes them. Each takes the actor for the audit record.
 * When its promise is fulfilled the change is in effect in this process; other processes follow within a second.
 * @throws (rejects) InvalidOperationError for an invalid operation; DomainError `api_key_not_found` for an unknown id
 */
@Injectable()
export class AdminKeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly keys: ApiKeysRepository,
    private readonly operations: KeyOperations,
    private readonly notifier: KeyChangeNotifier,
  ) {}

  /** Creates a key, and the account if it does not exist. */
  createKey(newKey: NewKey, actor: string): Promise<IssuedKey> {
    return this.operate(actor, async (operation) => {
      const spec = keySpec(newKey, DEFAULT_SCOPES);
      return this.operations.issue(operation, await accountFor(operation, newKey), spec);
    });
  }

  /** The next page of keys, by account, oldest first; empty after the last one. */
  async listKeys(after?: KeyPosition): Promise<KeyListing[]> {
    return (await this.database.read((manager) => this.keys.page(manager, KEYS_PER_PAGE, after))).map(toListing);
  }

  /** An account with its keys, oldest first, without those that ended more than a day ago. */
  account(name: string): Promise<{ account: Account; keys: ApiKey[] }> {
    return this.database.read(async (manager) => {
      const account = await accountNamed(manager, name);
      const keys = await this.keys.notEndedBefore(manager, account.id, this.clock.nowMs() - DAY_MS);
      return { account, keys };
    });
  }

  /** @returns `false` if it was revoked already */
  revoke(id: string, actor: string): Promise<boolean> {
    return this.change(id, actor, (operation, key) => this.operations.revoke(operation, key));
  }

  async changeScopes(id: string, scopes: readonly string[], actor: string): Promise<KeyListing> {
    return toListing(
      await this.change(id, actor, (operation, key) => this.operations.changeScopes(operation, key, scopes)),
    );
  }

  rotate(id: string, overlapMs: number, actor: string): Promise<RotatedKey> {
    return this.change(id, actor, (operation, key) => this.operations.rotate(operation, key, overlapMs));
  }

  unban(id: string, actor: string): Promise<void> {
    return this.change(id, actor, (operation, key) => this.operations.unban(operation, key));
  }

  /** Changes the plan of an account; Enterprise requires both limits. @returns the new limits */
  async changePlan(name: string, plan: PlanName, limits: CustomLimits, actor: string): Promise<Limits> {
    const terms = planTerms(plan, limits);
    const { id } = await this.operate(actor, (operation) => changePlan(operation, name, terms));
    this.notifier.keysChanged([{ accountId: id, keyId: null }]);
    return limitsOf(terms);
  }

  private change<T>(
    id: string,
    actor: string,
    work: (operation: AuditedOperation, key: ApiKey) => Promise<T>,
  ): Promise<T> {
    return this.operate(actor, async (operation) =>
      work(operation, await this.operations.find(operation.manager, { id })),
    );
  }

  private operate<T>(actor: string, work: (operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => work(await beginOperation(manager, actor, this.clock.nowMs())));
  }
}
