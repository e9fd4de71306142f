import { Logger } from '@nestjs/common';
import type { requestFields } from '../logging/index.js';

/** Failures of one kind within this time after the first are logged as a count, in milliseconds. */
const WINDOW_MS = 10_000;

/** Errors of one kind that are logged in full within this time. Messages can contain values, so they can all differ. */
const MAX_ERRORS = 5;

/** The fields of a log line for a response with a status of 500 or above. */
interface Failure extends ReturnType<typeof requestFields> {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

/** Failures with the same code on the same route. */
interface Kind {
  readonly first: Failure;
  /** The origins of those that were logged. */
  readonly errors: Set<string>;
  /** How many were not logged. */
  count: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Logs failed requests. An outage fails thousands of requests a second for one reason, so for the same code and route the
 * first one with each error is logged in full, and the others are counted for a while.
 */
export class FailureLog {
  private readonly logger = new Logger('Errors');
  private readonly kinds = new Map<string, Kind>();

  add(failure: Failure): void {
    const name = `${failure.code} ${failure.method} ${failure.route}`;
    const kind = this.kinds.get(name) ?? this.open(name, failure);
    const error = originOf(failure);
    if (kind.errors.has(error) || kind.errors.size === MAX_ERRORS) {
      kind.count += 1;
      return;
    }
    kind.errors.add(error);
    this.logger.error({ message: 'request failed', ...failure });
  }

  /** Logs the counts so far. */
  flush(): void {
    for (const name of this.kinds.keys()) this.close(name);
  }

  private open(name: string, first: Failure): Kind {
    const timer = setTimeout(() => this.close(name), WINDOW_MS).unref();
    const kind = { first, errors: new Set<string>(), count: 0, timer };
    this.kinds.set(name, kind);
    return kind;
  }

  private close(name: string): void {
    const kind = this.kinds.get(name);
    if (kind === undefined) return;
    clearTimeout(kind.timer);
    this.kinds.delete(name);
    const { first, count } = kind;
    const { method, route, status, code } = first;
    if (count > 0)
      this.logger.error({ message: 'more requests failed in the same way', method, route, status, code, count });
  }
}

/** The message, and the line that threw it: the rest of a stack depends on what else the request waited for. */
function originOf({ error }: Failure): string {
  return error.split('\n', 2).join('\n');
}
