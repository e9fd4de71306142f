/** The service's only source of wall-clock time; tests put their own in its place. */
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
