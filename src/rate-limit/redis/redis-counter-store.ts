import { crc32 } from 'node:zlib';
import type { Limits } from '../../auth/keys/plan.js';
import type { Caller } from '../../auth/caller.js';
import type { RedisClient } from '../../platform/redis/redis-client.js';
import { CounterStore } from '../counter-store.js';
import type { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { decide, decideOn, type Decision, type UsageReport } from '../windows/decision.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../windows/usage.js';
import { ADMIT, ADMIT_ADDRESS, PEEK, TAKE_FROM_WINDOW } from './admission-scripts.js';

/**
 * Anybody can send requests from any number of addresses, and an address is counted until the end of the day. So there are
 * this many counters, of about 300 bytes each; addresses with the same one share their limits.
 */
const ADDRESS_COUNTERS = 2 ** 20;

/** No account has a negative id. Its requests find out whether Redis counts. */
const PROBE = { keyId: 'check', limits: { perMinute: 1e6, perDay: 1e6 }, bansLiftedAtMs: 0 };

/**
 * Counts in Redis for all instances, on the clock of Redis, with one script call per decision. Keys of an account have its
 * id in braces, so that a cluster keeps them in one slot.
 */
export class RedisCounterStore extends CounterStore {
  private readonly runAdmit;
  private readonly runPeek;
  private readonly runAdmitAddress;
  private readonly runTakeFromWindow;

  /** @param now Unix time in whole seconds, for tests; empty for the clock of Redis */
  constructor(
    private readonly redis: RedisClient,
    private readonly fallback: MemoryCounterStore,
    private readonly now: () => number | '' = () => '',
  ) {
    super();
    this.runAdmit = redis.defineScript('admit', ADMIT, (number) =>
      this.callerArguments({ ...PROBE, accountId: -number }),
    );
    this.runPeek = redis.defineScript('peekUsage', PEEK);
    this.runAdmitAddress = redis.defineScript('admitAddress', ADMIT_ADDRESS);
    this.runTakeFromWindow = redis.defineScript('takeFromWindow', TAKE_FROM_WINDOW);
    // Local windows are kept until they end, so that a Redis that fails again and again gives no new quota each time.
    redis.beforeUp(() => fallback.clearKeys());
  }

  override admit(caller: Caller): Decision | Promise<Decision> {
    return this.redis.call(
      async () => decideOn(usageOf(await this.runAdmit(...this.callerArguments(caller)), caller.limits), 1),
      () => this.fallback.admit(caller),
    );
  }

  override peek(caller: Caller): UsageReport | Promise<UsageReport> {
    return this.redis.call(
      async () => usageOf(await this.runPeek(...this.callerArguments(caller)), caller.limits),
      () => this.fallback.peek(caller),
    );
  }

  override admitAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 1, () => this.fallback.admitAddress(address));
  }

  override peekAddress(address: string): Decision | Promise<Decision> {
    return this.askAddress(address, 0, () => this.fallback.peekAddress(address));
  }

  override takeFromWindow(subject: string, limit: number, windowSeconds: number): Decision | Promise<Decision> {
    const key = `${this.redis.prefix}{route:${subject}}`;
    return this.redis.call(
      async () => {
        const reply = (await this.runTakeFromWindow(key, this.now(), limit, windowSeconds)) as number[];
        const [nowSeconds = 0, , remaining = 0, resetSeconds = 0] = reply;
        return decide([{ limit, windowSeconds, remaining, resetSeconds }], 1, nowSeconds);
      },
      () => this.fallback.takeFromWindow(subject, limit, windowSeconds),
    );
  }

  private callerArguments({
    accountId,
    keyId,
    limits,
    bansLiftedAtMs,
  }: typeof PROBE & Pick<Caller, 'accountId'>): (string | number)[] {
    const account = `${this.redis.prefix}{account:${accountId}}`;
    const keys = [`${account}:usage`, `${account}:bans:${keyId}`, `${account}:usage:${keyId}`];
    return [...keys, this.now(), limits.perMinute, limits.perDay, bansLiftedAtMs];
  }

  private askAddress(address: string, taken: 0 | 1, otherwise: () => Decision): Decision | Promise<Decision> {
    const limits = this.fallback.addressLimits;
    const key = addressKey(this.redis.prefix, address);
    return this.redis.call(async () => {
      const reply = await this.runAdmitAddress(key, this.now(), limits.perMinute, limits.perDay, taken);
      return decideOn(usageOf(reply, limits), taken);
    }, otherwise);
  }
}

export function addressKey(prefix: string, address: string): string {
  return `${prefix}{address:${(crc32(address) % ADDRESS_COUNTERS).toString(16)}}:usage`;
}

/** The reply of a script about an account or an address. Only that of PEEK has strikes, and requests of the key. */
function usageOf(reply: unknown, { perMinute, perDay }: Limits): UsageReport {
  const [nowSeconds = 0, bannedUntilSeconds = 0, ...numbers] = reply as number[];
  const [minuteLeft = 0, minuteEnd = 0, dayLeft = 0, dayEnd = 0, strikes = 0, keyMinute = 0, keyDay = 0] = numbers;
  return {
    minute: { limit: perMinute, windowSeconds: MINUTE_SECONDS, remaining: minuteLeft, resetSeconds: minuteEnd },
    day: { limit: perDay, windowSeconds: DAY_SECONDS, remaining: dayLeft, resetSeconds: dayEnd },
    key: { minute: keyMinute, day: keyDay },
    strikes,
    bannedUntilSeconds,
    nowSeconds,
  };
}
