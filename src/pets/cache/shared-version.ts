import type { RedisClient, RunScript } from '../../platform/index.js';

/** A version that is not advanced in this time expires, and starts again. */
const LIFETIME_SECONDS = 86_400;

/**
 * A version is the time of Redis in microseconds, or the last version plus one. So after Redis lost it, by FLUSHALL or a
 * failover, a new version is greater than all previous ones. It is also greater than ARGV[1].
 */
const ADVANCE = `
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local version = math.max(time[1] * 1000000 + time[2], last + 1, ARGV[1] + 1)
redis.call('SET', KEYS[1], string.format('%.0f', version), 'EX', ${LIFETIME_SECONDS})
return version
`;

/**
 * The version of the catalogue that all instances share. It is read with every script, just before it: when
 * Redis has decided on the admission of a request, `current` includes every bump that ended before the request arrived.
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

  /**
   * Advances the version for all instances. Resolves within the timeout of Redis, with whether Redis did it, and never
   * rejects. If Redis failed, the version advances when it is back.
   */
  async bump(): Promise<boolean> {
    if (!this.redis.isUp) return false;
    try {
      await this.advance();
      return true;
    } catch {
      // The client is down now. Before it is up again, it advances the version.
      return false;
    }
  }

  /** @throws (rejects) Error if Redis fails */
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
