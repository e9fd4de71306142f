import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, Env } from '../../config/index.js';
import { Database } from '../../database/index.js';
import {
  type ApiKey,
  ApiKeysRepository,
  hashApiKey,
  isApiKey,
  isOfKind,
  type KeyChange,
  type KeyChangeListener,
  KeyChangeNotifier,
  keyKindOf,
  type KeyKind,
} from '../../api-keys/index.js';
import { type Caller, callerOf, isCaller, type KeyValidity, type Verdict, verdictOn } from '../caller.js';
import { KeyBloomFilter } from './key-bloom-filter.js';
import { INVALID, OTHER_ENVIRONMENT } from './refusals.js';
import { LastUsedTracker } from './last-used-tracker.js';

/** Maximum number of cached keys. */
const MAX_CACHED_KEYS = 10_000;
/** A cached key is queried again after this time, in milliseconds, in case a change went unnoticed. */
const FRESH_MS = 60_000;
/** If that query fails, the cached key is valid for this time, in milliseconds, before the next attempt. */
const RETRY_MS = 1_000;
/** How long a request waits for that query, in milliseconds, before it uses the cached key. */
const PATIENCE_MS = 100;

/** Keys that are queried per minute although the address of the client may be exhausted: those that exist, and are not cached. */
const FREE_LOOK_UPS_PER_MINUTE = 1_000;

interface CachedKey extends KeyValidity {
  /** The same object for all requests. */
  readonly caller: Caller;
  /** Until when the key need not be queried again, in Unix time in milliseconds. */
  freshUntilMs: number;
}

/**
 * Verifies keys. A cached key costs one lookup in a Map. Another key is queried only if it may exist according to the
 * filter.
 */
@Injectable()
export class KeyVerifier implements KeyChangeListener {
  /** Cached keys by token. Only existing keys are cached, so made-up tokens use no memory. */
  private readonly cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED_KEYS });
  private readonly kind: KeyKind;
  private readonly lookUps = new Map<string, Promise<Verdict>>();
  private freeLookUps = { minute: 0, left: 0 };

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
    private readonly lastUse: LastUsedTracker,
    private readonly filter: KeyBloomFilter,
    env: Env,
    notifier: KeyChangeNotifier,
  ) {
    this.kind = keyKindOf(env);
    notifier.subscribe(this);
  }

  /** Number of cached keys. */
  get knownKeys(): number {
    return this.cache.size;
  }

  /**
   * The caller of a key, or why it is refused; synchronous if the key is cached. Undefined for a well-formed key that
   * probably does not exist, and past many look-ups for any that is not cached: it is not queried. Records the use of the key.
   * Cached keys stay valid while the database is unavailable.
   * @param token from `readBearerToken`
   * @param hasQuota whether the address of the client has quota, which a query then needs no more
   * @throws (rejects) UnavailableError if an uncached key cannot be queried
   */
  verify(token: string, hasQuota = false): Verdict | Promise<Verdict> | undefined {
    const known = this.cache.get(token);
    const nowMs = this.clock.nowMs();
    if (known === undefined) {
      if (!isApiKey(token)) return INVALID;
      if (!isOfKind(token, this.kind)) return OTHER_ENVIRONMENT[this.kind];
    } else if (nowMs < known.freshUntilMs) return this.answerOf(known, nowMs);
    const underWay = this.lookUps.get(token);
    if (underWay !== undefined) return underWay;
    if (known === undefined && !this.filter.mayHave(hashApiKey(token))) return undefined;
    return known !== undefined || hasQuota || this.takeFreeLookUp(nowMs) ? this.lookUp(token, known) : undefined;
  }

  /** Valid keys share addresses with strangers, so look-ups are free until there are too many: of revoked keys, for example. */
  private takeFreeLookUp(nowMs: number): boolean {
    const minute = Math.floor(nowMs / 60_000);
    if (minute !== this.freeLookUps.minute) this.freeLookUps = { minute, left: FREE_LOOK_UPS_PER_MINUTE };
    this.freeLookUps.left -= 1;
    return this.freeLookUps.left >= 0;
  }

  keyIssued(key: string): void {
    this.filter.add(hashApiKey(key));
  }

  /** Removes these keys from the cache. */
  keysChanged(changes: readonly KeyChange[]): void {
    for (const change of changes) this.forget(change);
    // Running queries may have read a key before its change. Their callers get the result, but later requests query again.
    this.lookUps.clear();
  }

  /** Clears the cache. */
  forgetAll(): void {
    this.cache.clear();
    this.lookUps.clear();
  }

  /** Changes are rare, so a scan of all cached keys is cheaper than an index. */
  private forget({ accountId, keyId }: KeyChange): void {
    for (const [token, { caller }] of this.cache.entries()) {
      if (keyId === null ? caller.accountId === accountId : caller.keyId === keyId) this.cache.delete(token);
    }
  }

  private lookUp(token: string, known: CachedKey | undefined): Promise<Verdict> {
    const isCurrent = () => this.lookUps.get(token) === answer;
    const asked = this.ask(token, known, isCurrent);
    const answer = (known === undefined ? asked : this.orStale(asked, known)).finally(() => {
      if (isCurrent()) this.lookUps.delete(token);
    });
    this.lookUps.set(token, answer);
    return answer;
  }

  private async ask(token: string, known: CachedKey | undefined, isCurrent: () => boolean): Promise<Verdict> {
    let key: ApiKey | null;
    try {
      key = await this.database.read((manager) => this.keys.find(manager, { sha256: hashApiKey(token) }));
    } catch (error) {
      if (known === undefined) throw error;
      return this.answerStale(known);
    }
    if (key === null) {
      this.cache.delete(token);
      return INVALID;
    }
    const { expiresAt, revokedAt } = key;
    const found = { expiresAt, revokedAt, caller: callerOf(key), freshUntilMs: this.clock.nowMs() + FRESH_MS };
    this.keyIssued(token);
    if (isCurrent()) this.cache.set(token, found);
    return this.answerOf(found);
  }

  /** A request with a cached key does not wait long for a database that hangs. */
  private orStale(asked: Promise<Verdict>, known: CachedKey): Promise<Verdict> {
    const answered = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { ref: false, signal: answered.signal }).then(
      () => this.answerStale(known),
      () => asked,
    );
    return Promise.race([asked.finally(() => answered.abort()), late]);
  }

  private answerStale(known: CachedKey): Verdict {
    known.freshUntilMs = this.clock.nowMs() + RETRY_MS;
    return this.answerOf(known);
  }

  private answerOf(key: CachedKey, nowMs = this.clock.nowMs()): Verdict {
    const answer = verdictOn(key, key.caller, nowMs);
    if (isCaller(answer)) this.lastUse.touch(answer.keyId, nowMs);
    return answer;
  }
}
