import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { Clock, Env } from '../../config/index.js';
import { Database, query } from '../../database/index.js';
import {
  ApiKey,
  hashApiKey,
  isApiKey,
  isOfKind,
  type KeyChange,
  type KeyChangeListener,
  KeyChangeNotifier,
  keyKindOf,
  type KeyKind,
} from '../../api-keys/index.js';
import type { Caller } from '../caller.js';
import { KeyFilter } from './key-filter.js';
import { type AuthenticationFailure, INVALID, OTHER_ENVIRONMENT } from './refusals.js';
import { CachedKey } from './cached-key.js';
import { LastUsedTracker } from './last-used-tracker.js';

/** Most keys that are kept in memory. */
const MAX_CACHED_KEYS = 10_000;
/** A known key is looked up again when this old, in milliseconds, in case a change of it went unnoticed. */
const FRESH_MS = 60_000;
/** How long a known key is used on when it could not be looked up again, in milliseconds, before the next attempt. */
const RETRY_MS = 1_000;
/** How long a known key waits for being looked up again, in milliseconds, before it is used as it is known. */
const PATIENCE_MS = 100;

/**
 * Says who holds a key. A known key costs one look into a Map. Another one that exists, as a filter tells, is looked up
 * at once; the database is asked for one that probably does not exist only on request.
 */
@Injectable()
export class KeyVerifier implements KeyChangeListener {
  /** The keys in use, by token. Only keys that exist come in, so made-up tokens take no memory. */
  private readonly cache = new LRUCache<string, CachedKey>({ max: MAX_CACHED_KEYS });
  private readonly kind: KeyKind;
  private readonly lookUps = new Map<string, Promise<Verdict>>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lastUse: LastUsedTracker,
    private readonly filter: KeyFilter,
    env: Env,
    notifier: KeyChangeNotifier,
  ) {
    this.kind = keyKindOf(env);
    notifier.subscribe(this);
  }

  /** How many keys are known at the moment. */
  get knownKeys(): number {
    return this.cache.size;
  }

  /**
   * Who holds the key, or why it is refused; at once where the answer is known.
   * Notes the key's use. Keys that are known stay good while the database can't be asked.
   * @param token as `readBearerToken` gives it
   * @throws (rejects) ApiError service_unavailable when an unknown key can't be looked up
   */
  verify(token: string): Verdict | Promise<Verdict> {
    return this.recall(token) ?? this.lookUp(token, undefined);
  }

  /** As `verify`, but undefined for a well-formed key that probably does not exist, for which nobody is asked. */
  recall(token: string): Verdict | Promise<Verdict> | undefined {
    const known = this.cache.get(token);
    const nowMs = this.clock.nowMs();
    if (known !== undefined) {
      if (nowMs < known.validUntilMs) return this.used(known.caller, nowMs);
      if (known.isFresh(nowMs)) return known.answer(nowMs);
    } else if (!isApiKey(token)) return INVALID;
    else if (!isOfKind(token, this.kind)) return OTHER_ENVIRONMENT[this.kind];
    const underWay = this.lookUps.get(token);
    if (underWay !== undefined) return underWay;
    return known !== undefined || this.filter.mayHave(hashApiKey(token)) ? this.lookUp(token, known) : undefined;
  }

  keyIssued(key: string): void {
    this.filter.add(hashApiKey(key));
  }

  /** Makes the next request with any of these keys look them up. */
  keysChanged(changes: readonly KeyChange[]): void {
    for (const change of changes) this.forget(change);
    // What is being looked up may have been read before the change: good for who waits, but not for later requests.
    this.lookUps.clear();
  }

  /** Makes the next request with any key look it up. */
  forgetAll(): void {
    this.cache.clear();
    this.lookUps.clear();
  }

  /** Changes are rare enough that going through all keys is cheaper than an index to maintain. */
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
      key = await this.database.read((manager) => findKey(manager, hashApiKey(token)));
    } catch (error) {
      if (known === undefined) throw error;
      return this.answerStale(known);
    }
    if (key === null) {
      this.cache.delete(token);
      return INVALID;
    }
    const found = new CachedKey(key, this.clock.nowMs() + FRESH_MS);
    this.keyIssued(token);
    if (isCurrent()) this.cache.set(token, found);
    return this.answerOf(found);
  }

  /** A database that hangs must not hold up those whom it would only tell once more who they are. */
  private orStale(asked: Promise<Verdict>, known: CachedKey): Promise<Verdict> {
    const answered = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { ref: false, signal: answered.signal }).then(
      () => this.answerStale(known),
      () => asked,
    );
    return Promise.race([asked.finally(() => answered.abort()), late]);
  }

  private answerStale(known: CachedKey): Verdict {
    known.keepUntil(this.clock.nowMs() + RETRY_MS);
    return this.answerOf(known);
  }

  private answerOf(key: CachedKey): Verdict {
    const nowMs = this.clock.nowMs();
    const answer = key.answer(nowMs);
    return answer === key.caller ? this.used(key.caller, nowMs) : answer;
  }

  private used(caller: Caller, atMs: number): Caller {
    this.lastUse.touch(caller.keyId, atMs);
    return caller;
  }
}

/** The caller that a key stands for, or why there is none. */
export type Verdict = Caller | AuthenticationFailure;

async function findKey(manager: EntityManager, sha256: string): Promise<ApiKey | null> {
  // Made-up keys, which nothing remembers, end here at a tenth of the cost.
  const found = await query(manager, 'SELECT "id" FROM "api_keys" WHERE "sha256" = ?', [sha256]);
  if (found.length === 0) return null;
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoinAndSelect('key.account', 'account')
    .where('key.sha256 = :sha256', { sha256 })
    .getOne();
}
