import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { Database } from '../../database/database.js';
import { ApiKeysRepository, type KeyChange, KeyChanges } from '../keys/api-keys.repository.js';
import { hashApiKey, keyFault, keyKindOf } from '../keys/api-key-format.js';
import { INVALID, type KeyState, refusalOf, SUSPENDED, unauthorized } from '../unauthorized.js';
import { type Authentication, type Caller, callerOf } from '../caller.js';
import { LastUsedTracker } from './last-used-tracker.js';

const MAX_CACHED_KEYS = 10_000;
/** A cached key is queried again after this time, in milliseconds, in case a change went unnoticed. */
const FRESH_MS = 60_000;
/** If that query fails, the cached key is valid for this time, in milliseconds, before the next attempt. */
const RETRY_MS = 1_000;

/** Keys that are queried per minute although the address of the client may be exhausted. */
const FREE_LOOK_UPS_PER_MINUTE = 1_000;

interface CachedKey extends KeyState {
  readonly caller: Caller;
  freshUntilMs: number;
}

/** Verifies keys. A cached key costs one lookup in a Map, another one a query. */
@Injectable()
export class KeyVerifier {
  /** Cached keys by token. Only existing keys are cached, so made-up tokens use no memory. */
  private readonly cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED_KEYS });
  private readonly lookUps = new Map<string, Promise<Authentication>>();
  private freeLookUps = { minute: 0, left: 0 };

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
    private readonly lastUse: LastUsedTracker,
    private readonly env: Env,
    changes: KeyChanges,
  ) {
    changes.subscribe((change) => this.forget(change));
  }

  /**
   * The caller of a key, or why it is refused; synchronous if the key is cached. Undefined if it would have to be queried, and
   * the free queries of this minute are used up. Records the use of the key. Cached keys stay valid while the database is
   * unavailable.
   * @param token from `readBearerToken`
   * @param hasQuota whether the address of the client has quota, which a query then needs no more
   * @throws (rejects) DomainError `service_unavailable` if an uncached key cannot be queried
   */
  verify(token: string, hasQuota = false): Authentication | Promise<Authentication> | undefined {
    const cached = this.cache.get(token);
    const nowMs = this.clock.nowMs();
    if (cached !== undefined && nowMs < cached.freshUntilMs) return this.authenticate(cached, nowMs);
    const fault = cached === undefined ? keyFault(token, keyKindOf(this.env)) : undefined;
    if (fault !== undefined) return unauthorized('invalid_api_key', `The API key is not valid. ${fault}`);
    const running = this.lookUps.get(token);
    if (running !== undefined) return running;
    return cached !== undefined || hasQuota || this.takeFreeLookUp(nowMs) ? this.lookUp(token, cached) : undefined;
  }

  /** Removes a key that was changed from the cache. Changes are rare, so a scan is cheaper than an index. */
  forget({ accountId, keyId }: KeyChange): void {
    for (const [token, { caller }] of this.cache.entries()) {
      if (keyId === null ? caller.accountId === accountId : caller.keyId === keyId) this.cache.delete(token);
    }
    // Running queries may have read a key before its change. Their callers get the result, but later requests query again.
    this.lookUps.clear();
  }

  forgetAll(): void {
    this.cache.clear();
    this.lookUps.clear();
  }

  /** Valid keys share addresses with strangers, so the first queries of a minute need no quota of the address. */
  private takeFreeLookUp(nowMs: number): boolean {
    const minute = Math.floor(nowMs / 60_000);
    if (minute !== this.freeLookUps.minute) this.freeLookUps = { minute, left: FREE_LOOK_UPS_PER_MINUTE };
    this.freeLookUps.left -= 1;
    return this.freeLookUps.left >= 0;
  }

  private lookUp(token: string, cached: CachedKey | undefined): Promise<Authentication> {
    const isCurrent = () => this.lookUps.get(token) === running;
    const running = this.query(token).then(
      (found) => {
        // Undefined removes it.
        if (isCurrent()) this.cache.set(token, found);
        return found === undefined ? INVALID : this.authenticate(found);
      },
      (error) => {
        if (cached === undefined || !isCurrent()) throw error;
        cached.freshUntilMs = this.clock.nowMs() + RETRY_MS;
        return this.authenticate(cached);
      },
    );
    this.lookUps.set(token, running);
    return running.finally(() => {
      if (isCurrent()) this.lookUps.delete(token);
    });
  }

  private async query(token: string): Promise<CachedKey | undefined> {
    const key = await this.keys.find(this.database.manager, { sha256: hashApiKey(token) });
    if (key === null) return undefined;
    const { expiresAt, revokedAt, pausedAt, account } = key;
    const nowMs = this.clock.nowMs();
    const caller = callerOf(key, nowMs);
    // Limits with an end are queried again when they end.
    const freshUntilMs = Math.min(nowMs + FRESH_MS, caller.limitsEndAtMs ?? Infinity);
    return { expiresAt, revokedAt, pausedAt, account, caller, freshUntilMs };
  }

  private authenticate(key: CachedKey, nowMs = this.clock.nowMs()): Authentication {
    const refusal = refusalOf(key, nowMs);
    if (refusal === SUSPENDED) return { ...SUSPENDED, caller: key.caller };
    if (refusal !== undefined) return refusal;
    this.lastUse.uses.add(key.caller.keyId, nowMs);
    return key.caller;
  }
}
