import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, MoreThan } from 'typeorm';
import { Clock } from '../config/index.js';
import { afterWrite, cutPage, Database } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import type { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { beginOperation, type Operation } from './audit.js';
import { type Caller, isCaller } from './caller.js';
import { insufficientScope } from './insufficient-scope.js';
import { type IssuedKey, issueKey, type KeyOptions, keySpec } from './issued-key.js';
import { type KeyListing, listKeysOf, toListing } from './key-listing.js';
import { findKey, revokeKey, type RotatedKey, rotateKey, successorOf } from './key-operations.js';
import { challenge } from './key-refusal.js';
import { KeyVerifier } from './key-verifier.js';
import { KnownKey } from './known-key.js';
import { MANAGE_KEYS } from './scopes.js';

/** Most keys of an account that work at the same time, as far as its own keys make them. */
export const MOST_ACTIVE_KEYS = 100;

/**
 * What a key may do with the keys of its account. Audit records name the key that did it. Once a promise is fulfilled
 * it holds in this process; other processes follow within a second.
 * @throws (rejects) ApiError: api_key_not_found for a key of another account; insufficient_scope where a key would get
 * a scope that the caller lacks; api_key_limit_reached; 401 where the caller itself no longer works
 */
@Injectable()
export class AccountKeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly verifier: KeyVerifier,
  ) {}

  /**
   * Makes a key, within a transaction of the caller's; by default with all scopes of the calling key, but not the one to
   * make keys.
   */
  createIn(manager: EntityManager, options: KeyOptions, caller: Caller): Promise<IssuedKey> {
    return this.act(manager, caller, async (operation, { account, scopes }) => {
      const spec = keySpec(options, [...scopes].filter((scope) => scope !== MANAGE_KEYS));
      checkGrant(spec.scopes, scopes);
      await checkRoom(operation, account);
      return issueKey(operation, account, spec);
    });
  }

  /**
   * Up to `limit` keys, oldest first; `nextAfter` is the id after which the next ones begin, if there are more.
   * @param after id of the key after which they begin
   * @throws (rejects) ApiError validation_failed where the account has no such key
   */
  list(limit: number, after: string | undefined, { accountId }: Caller): Promise<{ keys: KeyListing[]; nextAfter: string | undefined }> {
    return this.database.read(async (manager) => {
      const last = after === undefined ? undefined : await manager.findOneBy(ApiKey, { id: after, accountId });
      if (last === null) throw new ApiError('validation_failed', 'after must be the identifier of an API key of this account.');
      const { page, nextAfter } = cutPage(await listKeysOf(manager, accountId, limit + 1, last), limit);
      return { keys: page, nextAfter };
    });
  }

  get(id: string, { accountId }: Caller): Promise<KeyListing> {
    return this.database.read(async (manager) => toListing(await findKey(manager, { id, accountId })));
  }

  /**
   * Makes a key with the scopes and lifetime of another, which works on for `overlapMs` milliseconds unless it expires
   * before; within a transaction of the caller's.
   * @throws (rejects) also ApiError api_key_retired
   */
  rotateIn(manager: EntityManager, id: string, overlapMs: number, caller: Caller): Promise<RotatedKey> {
    afterWrite(() => this.verifier.forget([{ accountId: caller.accountId, keyId: id }]));
    return this.act(manager, caller, async (operation, { account, scopes }) => {
      const key = await findKey(operation.manager, { id, accountId: account.id });
      await checkNotRetired(operation, key);
      checkGrant(key.scopes.split(' '), scopes);
      if (overlapMs > 0) await checkRoom(operation, account);
      return rotateKey(operation, key, overlapMs);
    });
  }

  /** Ends a key for good; one that was revoked before stays so. */
  async revoke(id: string, caller: Caller): Promise<void> {
    await this.database.write((manager) =>
      this.act(manager, caller, async (operation, { account }) => {
        await revokeKey(operation, await findKey(manager, { id, accountId: account.id }));
      }),
    );
    this.verifier.forget([{ accountId: caller.accountId, keyId: id }]);
  }

  /** Runs `work` as the caller's key is now, which may be less than when the request was admitted. */
  private async act<T>(manager: EntityManager, caller: Caller, work: (operation: Operation, by: Authority) => Promise<T>): Promise<T> {
    const operation = await beginOperation(manager, caller.keyId, this.clock.nowMs());
    const own = await findKey(manager, { id: caller.keyId });
    const verdict = new KnownKey(own, operation.atMs).answer(operation.atMs);
    if (!isCaller(verdict)) throw new ApiError(verdict.code, verdict.message, { 'www-authenticate': challenge(verdict) });
    return work(operation, { account: own.account, scopes: verdict.scopes });
  }
}

/** Whose keys a caller may change, and what it may hand out. */
interface Authority {
  readonly account: Account;
  readonly scopes: ReadonlySet<string>;
}

function checkGrant(granted: readonly string[], own: ReadonlySet<string>): void {
  const lacking = granted.filter((scope) => !own.has(scope));
  if (lacking.length === 0) return;
  throw insufficientScope(`A key can pass on its own scopes only, and this one lacks ${lacking.join(', ')}.`, lacking);
}

async function checkNotRetired({ manager, atMs }: Operation, key: ApiKey): Promise<void> {
  if (key.revokedAt !== null) throw retired(`The key ${key.id} was revoked. Make a new one.`);
  const successor = await successorOf(manager, key);
  if (successor !== undefined) throw retired(`The key ${key.id} has a successor. Rotate ${successor}, or make a new one.`);
  if (key.expiresAt !== null && key.expiresAt <= atMs) throw retired(`The key ${key.id} has expired. Make a new one.`);
}

function retired(message: string): ApiError {
  return new ApiError('api_key_retired', message);
}

async function checkRoom({ manager, atMs }: Operation, { id }: Account): Promise<void> {
  const usable = { accountId: id, revokedAt: IsNull() };
  const active = await manager.countBy(ApiKey, [{ ...usable, expiresAt: IsNull() }, { ...usable, expiresAt: MoreThan(atMs) }]);
  if (active < MOST_ACTIVE_KEYS) return;
  throw new ApiError('api_key_limit_reached', `The account has ${active} active API keys, and ${MOST_ACTIVE_KEYS} are the most. Revoke one first.`);
}
