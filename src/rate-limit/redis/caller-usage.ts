import type { Limits } from '../../accounts/index.js';
import type { Caller } from '../../auth/index.js';
import type { UsageReport } from '../windows/decision.js';
import { accountKey } from './counter-keys.js';
import { DAY_SECONDS, MINUTE_SECONDS } from '../windows/usage.js';

/**
 * The arguments of ADMIT and PEEK.
 * @param now Unix time in whole seconds; empty for the clock of Redis
 */
export function ofCaller(prefix: string, now: number | '', { accountId, keyId, limits, bansLiftedAtMs }: Caller) {
  return {
    keys: [accountKey(prefix, accountId), `${prefix}{account:${accountId}}:bans:${keyId}`],
    args: [now, limits.perMinute, limits.perDay, bansLiftedAtMs, keyId],
  };
}

/** The reply of PEEK. */
export function usageReport(reply: unknown, { perMinute, perDay }: Limits): UsageReport {
  const [minuteLeft = 0, minuteEnd = 0, dayLeft = 0, dayEnd = 0, strikes = 0, bannedUntilSeconds = 0, ...key] =
    reply as number[];
  const [keyMinute = 0, keyDay = 0] = key;
  return {
    minute: { limit: perMinute, windowSeconds: MINUTE_SECONDS, remaining: minuteLeft, resetSeconds: minuteEnd },
    day: { limit: perDay, windowSeconds: DAY_SECONDS, remaining: dayLeft, resetSeconds: dayEnd },
    key: { minute: keyMinute, day: keyDay },
    strikes,
    bannedUntilSeconds,
  };
}
