/** The service's only source of wall-clock time; tests replace it. */
export class Clock {
  /** Unix time in milliseconds. */
  nowMs(): number {
    return Date.now();
  }

  /** Unix time in whole seconds, rounded down. */
  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }
}

/** A time in RFC 3339, in UTC. */
export function rfc3339(atMs: number): string {
  return new Date(atMs).toISOString();
}
