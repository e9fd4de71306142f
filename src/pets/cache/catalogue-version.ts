import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database, onTransactionEnd, RedisClient, type RunScript } from '../../kernel.js';

export interface CatalogueState {
  /** Grows when pets are added. They have the highest identifiers, so only the last page of a list changes. */
  readonly additions: number;
  /** Grows when pets are changed or removed. */
  readonly changes: number;
}

/** Of data cached from a shared database. An instance that cannot notify the others delays its responses to writes by it. */
export const MAX_SHARED_AGE_MS = 80;

/** Tells whether cached data is current, without a query. Instances that share a database share the version in Redis. */
@Injectable()
export class CatalogueVersion {
  private own: CatalogueState = { additions: 0, changes: 0 };
  private readonly shared: SharedVersion | undefined;
  /** One function for each part, so that a transaction that changes many pets advances it once. */
  private readonly advances = {
    additions: () => this.advanceNow('additions'),
    changes: () => this.advanceNow('changes'),
  };

  constructor(
    private readonly database: Database,
    @Inject(RedisClient) redis: RedisClient | undefined,
  ) {
    this.shared = redis === undefined || database.isEmbedded ? undefined : new SharedVersion(redis);
  }

  /** A read that begins now sees this version or a later one; undefined if other instances may write unnoticed. */
  get current(): CatalogueState | undefined {
    if (this.database.isEmbedded) return this.own;
    const version = this.shared?.current;
    return version === undefined ? undefined : { additions: version, changes: version };
  }

  /** Call it after a write, before that is acknowledged. In a transaction it takes effect when that ends. */
  async advance(part: keyof CatalogueState): Promise<void> {
    if (this.database.isWriting) onTransactionEnd(this.advances[part]);
    else await this.advances[part]();
  }

  private async advanceNow(part: keyof CatalogueState): Promise<void> {
    this.own = { ...this.own, [part]: this.own[part] + 1 };
    if ((await this.shared?.bump()) === false) await delay(MAX_SHARED_AGE_MS);
  }
}

const LIFETIME_SECONDS = 86_400;

/**
 * A version is the time of Redis in microseconds, or the last version plus one. So after Redis lost it, by FLUSHALL or a
 * failover, a new version is greater than all previous ones. It replaces whatever else has the name.
 */
const ADVANCE = `
local time = redis.call('TIME')
local stored = redis.pcall('GET', KEYS[1])
local last = type(stored) == 'string' and tonumber(stored) or 0
local version = math.max(time[1] * 1000000 + time[2], last + 1, ARGV[1] + 1)
redis.call('SET', KEYS[1], string.format('%.0f', version), 'EX', ${LIFETIME_SECONDS})
return version
`;

/**
 * The version that all instances share. It is read just before every script, so when Redis has decided on the admission of a
 * request, `current` includes every bump that ended before the request arrived.
 */
export class SharedVersion {
  private readonly key: string;
  private readonly runAdvance: RunScript;
  private latest: number | undefined;
  private highest = 0;
  private advancing: Promise<unknown> | undefined;

  constructor(private readonly redis: RedisClient) {
    this.key = `${redis.prefix}catalogue-version`;
    this.runAdvance = redis.defineScript('advanceVersion', { numberOfKeys: 1, lua: ADVANCE });
    redis.readWithScripts(this.key, (value) => this.receive(value));
    redis.beforeUp(() => this.advance());
  }

  /** Undefined while Redis is unavailable or has lost it. Then nothing cached is current. */
  get current(): number | undefined {
    return this.redis.isUp ? this.latest : undefined;
  }

  /** @returns whether Redis advanced the version for all instances in time; otherwise it does so when it is back */
  async bump(): Promise<boolean> {
    const advanced = () => this.advance().then(() => true);
    return this.redis.isUp && advanced().catch(() => false);
  }

  private async advance(): Promise<void> {
    const version = Number(await this.runAdvance(this.key, this.highest));
    // A later reading may have been processed first.
    if (version > this.highest) this.latest = this.highest = version;
  }

  /** A version that is missing or went back was lost, and is set again. */
  private receive(value: string | null): void {
    const version = Number(value ?? 0);
    if (version >= this.highest && version > 0) {
      this.latest = this.highest = version;
      return;
    }
    this.latest = undefined;
    this.advancing ??= this.bump().finally(() => (this.advancing = undefined));
  }
}
