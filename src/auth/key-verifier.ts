import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../config/index.js';
import { Database, query } from '../database/index.js';
import { ApiKey } from './api-key.entity.js';
import { hashApiKey, isApiKey } from './api-key-format.js';
import type { Caller } from './caller.js';
import { type KeyChange, KeyCache } from './key-cache.js';
import { INVALID, type KeyRefusal } from './key-refusal.js';
import { KnownKey } from './known-key.js';
import { LastUse } from './last-use.js';

/** A known key is looked up again when this old, in milliseconds, in case a change of it went unnoticed. */
const FRESH_MS = 60_000;
/** How long a known key is used on when it could not be looked up again, in milliseconds, before the next attempt. */
const RETRY_MS = 1_000;
/** How long a known key waits for being looked up again, in milliseconds, before it is used as it is known. */
const PATIENCE_MS = 100;

/** Says who holds a key. A known key costs one look into a Map; other well-formed ones ask the database. */
@Injectable()
export class KeyVerifier {
  private readonly cache = new KeyCache();
  private readonly lookUps = new Map<string, Promise<Caller | KeyRefusal>>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lastUse: LastUse,
  ) {}

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
  verify(token: string): Caller | KeyRefusal | Promise<Caller | KeyRefusal> {
    const known = this.cache.get(token);
    const nowMs = this.clock.nowMs();
    if (known !== undefined) {
      if (nowMs < known.goodUntilMs) return this.used(known.caller, nowMs);
      if (known.isFresh(nowMs)) return known.answer(nowMs);
    } else if (!isApiKey(token)) return INVALID;
    return this.lookUps.get(token) ?? this.lookUp(token, known);
  }

  /** Makes the next request with any of these keys look them up; to be called after each change of them. */
  forget(changes: readonly KeyChange[]): void {
    for (const change of changes) this.cache.forget(change);
    // What is being looked up may have been read before the change: good for who waits, but not for later requests.
    this.lookUps.clear();
  }

  /** Makes the next request with any key look it up. */
  forgetAll(): void {
    this.cache.clear();
    this.lookUps.clear();
  }

  private lookUp(token: string, known: KnownKey | undefined): Promise<Caller | KeyRefusal> {
    const isCurrent = () => this.lookUps.get(token) === answer;
    const asked = this.ask(token, known, isCurrent);
    const answer = (known === undefined ? asked : this.orStale(asked, known)).finally(() => {
      if (isCurrent()) this.lookUps.delete(token);
    });
    this.lookUps.set(token, answer);
    return answer;
  }

  private async ask(token: string, known: KnownKey | undefined, isCurrent: () => boolean): Promise<Caller | KeyRefusal> {
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
    const found = new KnownKey(key, this.clock.nowMs() + FRESH_MS);
    if (isCurrent()) this.cache.set(token, found);
    return this.answerOf(found);
  }

  /** A database that hangs must not hold up those whom it would only tell once more who they are. */
  private orStale(asked: Promise<Caller | KeyRefusal>, known: KnownKey): Promise<Caller | KeyRefusal> {
    const answered = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { ref: false, signal: answered.signal }).then(
      () => this.answerStale(known),
      () => asked,
    );
    return Promise.race([asked.finally(() => answered.abort()), late]);
  }

  private answerStale(known: KnownKey): Caller | KeyRefusal {
    known.keepUntil(this.clock.nowMs() + RETRY_MS);
    return this.answerOf(known);
  }

  private answerOf(key: KnownKey): Caller | KeyRefusal {
    const nowMs = this.clock.nowMs();
    const answer = key.answer(nowMs);
    return answer === key.caller ? this.used(key.caller, nowMs) : answer;
  }

  private used(caller: Caller, atMs: number): Caller {
    this.lastUse.touch(caller.keyId, atMs);
    return caller;
  }
}

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
