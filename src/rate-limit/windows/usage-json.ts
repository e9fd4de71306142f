import type { UsageReport, WindowReport } from './decision.js';

export function windowsJson({ minute, day }: UsageReport) {
  return { minute: windowJson(minute), day: windowJson(day) };
}

export function bansJson({ strikes, bannedUntilSeconds }: UsageReport) {
  return { strikes, ...(bannedUntilSeconds === 0 ? {} : { bannedUntil: rfc3339(bannedUntilSeconds) }) };
}

/** The key's part of both windows, its strikes and its ban. */
export function keyUsageJson(report: UsageReport) {
  const { minute, day, key } = report;
  return {
    minute: { requests: key.minute, resetsAt: rfc3339(minute.resetSeconds) },
    day: { requests: key.day, resetsAt: rfc3339(day.resetSeconds) },
    ...bansJson(report),
  };
}

function windowJson({ limit, remaining, resetSeconds }: WindowReport) {
  return { limit, remaining, resetsAt: rfc3339(resetSeconds) };
}

export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
