import type { UsageReport, WindowReport } from './decision.js';

/*
 * The JSON of usage, over HTTP and with `--json`. Times are RFC 3339.
 */

/** The usage of one window of an account. */
export interface WindowJson {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: string;
}

/** The requests of a key in one window of its account. */
export interface KeyWindowJson {
  readonly requests: number;
  readonly resetsAt: string;
}

export interface KeyUsageJson {
  readonly minute: KeyWindowJson;
  readonly day: KeyWindowJson;
  readonly strikes: number;
  /** Absent if the key is not banned. */
  readonly bannedUntil?: string;
}

/** The windows of the account. */
export function windowsJson({ minute, day }: UsageReport): { readonly minute: WindowJson; readonly day: WindowJson } {
  return { minute: windowJson(minute), day: windowJson(day) };
}

/** Strikes and ban of the key. */
export function bansJson({ strikes, bannedUntilSeconds }: UsageReport): Pick<KeyUsageJson, 'strikes' | 'bannedUntil'> {
  return { strikes, ...(bannedUntilSeconds === 0 ? {} : { bannedUntil: rfc3339(bannedUntilSeconds) }) };
}

/** The key's part of both windows, its strikes and its ban. */
export function keyUsageJson(report: UsageReport): KeyUsageJson {
  const { minute, day, key } = report;
  return {
    minute: { requests: key.minute, resetsAt: rfc3339(minute.resetSeconds) },
    day: { requests: key.day, resetsAt: rfc3339(day.resetSeconds) },
    ...bansJson(report),
  };
}

function windowJson({ limit, remaining, resetSeconds }: WindowReport): WindowJson {
  return { limit, remaining, resetsAt: rfc3339(resetSeconds) };
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
