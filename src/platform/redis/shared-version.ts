import type { RedisClient, RunScript } from './redis-client.js';

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
 * A version that all instances share. It is read just before every script, so when Redis has decided on the admission of a
 * request, `current` includes every bump that ended before the request arrived.
 */
export class SharedVersion {
  private readonly key: string;
  private readonly runAdvance: RunScript;
  private latest: number | undefined;
  private highest = 0;
  private advancing: Promise<unknown> | undefined;
  /** How many times it could not be advanced, and how many of these were made up for. */
  private failed = 0;
  private madeUpFor = 0;

  /** @param name of its key in Redis, after the prefix */
  constructor(
    private readonly redis: RedisClient,
    name: string,
  ) {
    this.key = `${redis.prefix}${name}`;
    this.runAdvance = redis.defineScript('advanceVersion', { numberOfKeys: 1, lua: ADVANCE });
    redis.readWithScripts(this.key, (value) => this.receive(value));
    redis.beforeUp(() => this.advance());
  }

  /** Undefined while Redis is unavailable or has lost it. Then nothing is known to be current. */
  get current(): number | undefined {
    return this.redis.isUp ? this.latest : undefined;
  }

  /** @returns whether Redis advanced the version for all instances in time; otherwise it does so when it is back */
  async bump(): Promise<boolean> {
    const advanced = () => this.advance().then(() => true);
    return this.redis.isUp && advanced().catch(() => false);
  }

  private async advance(): Promise<void> {
    const { failed } = this;
    const reply = await this.runAdvance(this.key, this.highest).catch((error: Error) => {
      this.failed += 1;
      throw error;
    });
    this.madeUpFor = Math.max(this.madeUpFor, failed);
    const version = Number(reply);
    // A later reading may have been processed first.
    if (version > this.highest) this.latest = this.highest = version;
  }

  /** A version that is missing or went back was lost, and is set again. So is one that misses a bump. */
  private receive(value: string | null): void {
    const version = Number(value ?? 0);
    if (version >= this.highest && version > 0 && this.madeUpFor === this.failed) {
      this.latest = this.highest = version;
      return;
    }
    this.latest = undefined;
    this.advancing ??= this.bump().finally(() => (this.advancing = undefined));
  }
}
