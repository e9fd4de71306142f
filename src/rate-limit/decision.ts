/** What the counters say about one request, with all that the rate-limit headers need (specification, section 8). */
export interface Decision {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** Requests that the shown window allows. */
  readonly limit: number;
  /** Requests left in the shown window, this one taken off; never negative. */
  readonly remaining: number;
  /** End of the shown window or of the ban, in whole seconds of Unix time. */
  readonly resetSeconds: number;
  /** 0 when admitted, else at least 1. */
  readonly retryAfterSeconds: number;
}

export function admitted(limit: number, remaining: number, resetSeconds: number): Decision {
  return { outcome: 'admitted', limit, remaining, resetSeconds, retryAfterSeconds: 0 };
}

/**
 * @param resetSeconds when the next request is admitted, Unix time
 * @param nowSeconds Unix time, rounded down: since `resetSeconds` is whole, the difference is the true wait rounded up
 */
export function refused(
  outcome: 'limited' | 'banned',
  limit: number,
  resetSeconds: number,
  nowSeconds: number,
): Decision {
  return { outcome, limit, remaining: 0, resetSeconds, retryAfterSeconds: Math.max(1, resetSeconds - nowSeconds) };
}
