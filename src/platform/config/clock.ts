export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The service's only source of wall-clock time; tests replace it. */
export class Clock {
  /** Whether it tells the real time, as the clock of a database server does. `false` if a test sets it. */
  readonly isReal: boolean = true;

  nowMs(): number {
    return Date.now();
  }

  /** Unix time in whole seconds, rounded down. */
  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }
}

export function rfc3339(atMs: number): string {
  return new Date(atMs).toISOString();
}
