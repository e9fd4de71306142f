import { Logger } from '@nestjs/common';
import type { requestFields } from '../logging/index.js';

/** Failures of one kind within this time after the first are logged as a count, in milliseconds. */
const WINDOW_MS = 10_000;

/** The fields of a log line for a response with a status of 500 or above. */
interface Failure extends ReturnType<typeof requestFields> {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

/**
 * Logs failed requests. An outage fails thousands of requests a second for one reason, so for the same code and route the
 * first is logged in full and the others are counted for a while.
 */
export class FailureLog {
  private readonly logger = new Logger('Errors');
  private readonly repeats = new Map<
    string,
    { readonly first: Failure; count: number; readonly timer: NodeJS.Timeout }
  >();

  constructor(private readonly windowMs = WINDOW_MS) {}

  add(failure: Failure): void {
    const kind = `${failure.code} ${failure.method} ${failure.route}`;
    const repeated = this.repeats.get(kind);
    if (repeated !== undefined) {
      repeated.count += 1;
      return;
    }
    this.logger.error({ message: 'request failed', ...failure });
    const timer = setTimeout(() => this.close(kind), this.windowMs).unref();
    this.repeats.set(kind, { first: failure, count: 0, timer });
  }

  /** Logs the counts so far. */
  flush(): void {
    for (const kind of this.repeats.keys()) this.close(kind);
  }

  private close(kind: string): void {
    const repeated = this.repeats.get(kind);
    if (repeated === undefined) return;
    clearTimeout(repeated.timer);
    this.repeats.delete(kind);
    const { first, count } = repeated;
    const { method, route, status, code } = first;
    if (count > 0)
      this.logger.error({ message: 'more requests failed in the same way', method, route, status, code, count });
  }
}
