const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^(0|[1-9][0-9]{0,9})([smhdw])$/;

/** Parses durations such as `30s`, `15m`, `24h`, `90d` or `12w` to milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
