import type { Argument } from './auto-pipeliner.js';
import { Script } from './script.js';

/** A version that nobody advanced in this time is forgotten, and starts anew. */
const LIFETIME_SECONDS = 86_400;

/**
 * Versions are microseconds of Redis' clock, or one more than the last. So a version that Redis lost, by FLUSHALL or in
 * a failover, starts anew beyond all that were given before. ARGV[1] is one that must be passed in any case.
 */
const ADVANCE = new Script(`
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local version = math.max(time[1] * 1000000 + time[2], last + 1, ARGV[1] + 1)
redis.call('SET', KEYS[1], string.format('%.0f', version), 'EX', ${LIFETIME_SECONDS})
return version
`);

export interface CacheGenerationOptions {
  readonly key: string;
  readonly run: (script: Script, keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;
  readonly isUp: () => boolean;
}

/**
 * A version of the catalogue that all instances share. It is read with every write to Redis, in the same round trip:
 * once Redis has answered the admission of a request, `current` is at least as new as every bump that ended before
 * the request came.
 */
export class CacheGeneration {
  private latest: number | undefined;
  private highest = 0;
  private advancing: Promise<unknown> | undefined;

  constructor(private readonly options: CacheGenerationOptions) {}

  /** Undefined while Redis is away, or has lost it: nothing may be taken for current then. */
  get current(): number | undefined {
    return this.options.isUp() ? this.latest : undefined;
  }

  /**
   * Makes all instances see a new version. Resolves within the timeout of Redis with whether Redis did it, and never rejects; where it
   * did not, the version advances when Redis is back.
   */
  async bump(): Promise<boolean> {
    if (!this.options.isUp()) return false;
    try {
      await this.advance();
      return true;
    } catch {
      // The link is down now, and coming up begins with an advance.
      return false;
    }
  }

  /** @throws Error when Redis did not take it */
  async advance(): Promise<void> {
    const { key, run } = this.options;
    const version = Number(await run(ADVANCE, [key], [this.highest]));
    // A reading that was sent later may have overtaken it on the way through promises.
    if (version > this.highest) this.latest = this.highest = version;
  }

  /** Arguments of the GET that travels with every write. */
  get reading(): readonly [string] {
    return [this.options.key];
  }

  /** Takes in what Redis answered. A version that is gone or fell back was lost, and is set anew. */
  readonly receive = (reply: unknown): void => {
    const version = reply === null ? 0 : Number(reply);
    if (version >= this.highest && version > 0) {
      this.latest = this.highest = version;
      return;
    }
    this.latest = undefined;
    this.advancing ??= this.bump().finally(() => (this.advancing = undefined));
  };
}
