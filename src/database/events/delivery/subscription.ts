import { DAY_MS } from '../../../platform/config/clock.js';
import type { EventFilter } from '../event-log.js';
import type { LoggedEvent } from '../logged-event.entity.js';

/** Handles the events of the log that a filter finds: at least once, in order for each subject, by one process at a time. */
export interface Subscription {
  /** Unique, and the same in each process. Metrics show the part before a colon. */
  readonly name: string;
  readonly filter: EventFilter;
  /** Events that are handled at the same time. They have different subjects. */
  readonly atOnce: number;
  /** The waits before each attempt after the first, in milliseconds. After the last one, a delivery has failed. */
  readonly retryAfterMs: readonly number[];
  /** Whether deliveries are kept, until their events are deleted. */
  readonly keepsDelivered: boolean;
  /** Whether the last attempt failed. Many of those do not hold up the others. */
  readonly isFailing?: boolean;
  /**
   * Why an event must no longer be handled, for example because an account cannot read it any longer: its delivery fails.
   * Undefined if it is handled.
   */
  readonly refusalOf?: (event: LoggedEvent) => string | undefined;
  /** Rejects if the event must be retried, with a `RetryLater` for a certain time. */
  handle(event: LoggedEvent, attempt: number): Promise<void>;
}

/** Provides the subscriptions that are active now. */
export interface SubscriptionSource {
  /**
   * Includes what changed before, also by other instances: events that the filter then includes would be skipped for good.
   * What is missing here, such as a new subscription, is not skipped.
   * @param anew whether they must not come from a cache
   */
  subscriptions(anew: boolean): readonly Subscription[] | Promise<readonly Subscription[]>;
}

/** Rejects a delivery, and says when to retry it. */
export class RetryLater extends Error {
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message);
  }
}

/** By how much waits vary, so that what failed together is not tried again together. */
const JITTER = 0.1;

/** Longer than events are kept. No database has a time that is later than all others, or none. */
const MOST_MS = 365 * DAY_MS;

/** @returns in how many milliseconds a delivery is tried again after an error */
export function retryAfter(error: unknown, waitMs = 0): number {
  const spreadMs = waitMs * (1 + JITTER * (2 * Math.random() - 1));
  const askedMs = error instanceof RetryLater ? error.afterMs : 0;
  return Math.round(Math.max(spreadMs, Number.isNaN(askedMs) ? 0 : Math.min(askedMs, MOST_MS)));
}
