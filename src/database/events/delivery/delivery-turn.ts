import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Clock } from '../../../platform/config/clock.js';
import { messageOf } from '../../../platform/errors/domain-error.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { type Principal, runFor } from '../actor.js';
import type { LoggedEvent } from '../logged-event.entity.js';
import type { Deliveries, DeliveryOutcome, DeliveryResult, DueDelivery } from './deliveries.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import { retryAfter, type Subscription } from './subscription.js';

/** While only slow deliveries run, how often others are looked for. */
const POLL_MS = 200;
const MAX_ERROR_LENGTH = 1_000;

/** Handles what is due of a subscription, while this process has its lease. */
export class DeliveryTurn {
  private readonly logger = new Logger('Events');
  /** By subject. */
  private readonly running = new Map<string, Promise<void>>();
  /** Subjects of deliveries that run, or whose outcome is not recorded. */
  private readonly busy = new Set<string>();
  private readonly outcomes: DeliveryOutcome[] = [];
  private isEnding = false;

  /**
   * @param current the subscription as it is now, unless it has ended
   * @param mayBegin whether the lease is held, and the process does not stop
   */
  constructor(
    private subscription: Subscription,
    private readonly current: () => Promise<Subscription | undefined>,
    private readonly deliveries: Deliveries,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
    private readonly mayBegin: () => boolean,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Handles several subjects at once, and the events of each one after the other, up to one that is tried again.
   * @returns whether deliveries still run, some time after its end, and the subscription goes on
   */
  async handle(durationMs: number): Promise<boolean> {
    const endMs = performance.now() + durationMs;
    const mayBegin = () => performance.now() < endMs && this.mayBegin();
    const isOver = delay(durationMs, undefined, { ref: false });
    while (mayBegin()) {
      const due = await this.deliveries.read(this.subscription.name, [...this.busy]);
      if (due.length === 0 && this.running.size === 0) return false;
      // Later, so that it includes all that these events were added for.
      const current = await this.current();
      if (current === undefined) return false;
      this.subscription = current;
      for (const [subject, ofSubject] of Map.groupBy(due, (one) => one.subject)) {
        while (this.running.size >= current.atOnce && mayBegin())
          await Promise.race([...this.running.values(), isOver]);
        if (!mayBegin()) break;
        this.begin(subject, ofSubject);
      }
      if (due.length === 0) await this.drains(POLL_MS);
      await this.record();
    }
    return !(await this.drains(durationMs));
  }

  /** Waits for what runs. What has not begun stays due. */
  async end(): Promise<void> {
    this.isEnding = true;
    await Promise.all(this.running.values());
    await this.record();
  }

  private begin(subject: string, due: readonly DueDelivery[]): void {
    this.busy.add(subject);
    const work = this.handleInOrder(due).finally(() => this.running.delete(subject));
    this.running.set(subject, work);
  }

  private async handleInOrder(due: readonly DueDelivery[]): Promise<void> {
    for (const one of due) {
      const result = this.mayBegin() && !this.isEnding ? await this.handleOne(one) : undefined;
      if (result !== undefined) this.outcomes.push({ place: one.place, subject: one.subject, result });
      if (result === undefined || result.state === 'pending') return;
    }
  }

  private async record(): Promise<void> {
    const outcomes = [...this.outcomes];
    const ended = [...this.busy].filter((subject) => !this.running.has(subject));
    if (outcomes.length > 0) await this.deliveries.record(this.subscription, outcomes);
    // Not before, so that they are recorded later if this fails.
    this.outcomes.splice(0, outcomes.length);
    for (const subject of ended) this.busy.delete(subject);
  }

  /** @returns whether all that runs ends in time */
  private drains(atMostMs: number): Promise<boolean> {
    const ended = Promise.all(this.running.values()).then(() => true);
    return Promise.race([ended, delay(atMostMs, false, { ref: false })]);
  }

  /** @returns undefined if the stop may have interrupted it */
  private async handleOne(due: DueDelivery): Promise<DeliveryResult | undefined> {
    const { event } = due;
    const { name, retryAfterMs, refusalOf } = this.subscription;
    const attempts = due.attempts + 1;
    if (event === undefined) return { state: 'failed', attempts, error: 'The event was deleted.' };
    try {
      const refusal = refusalOf?.(event);
      if (refusal !== undefined) return { state: 'failed', attempts, error: refusal };
      this.metrics.noteAttempt(name, this.clock.nowMs() - event.at);
      await runFor(this.principalFor(event), () =>
        inSpan(`deliver ${event.type}`, {}, () => this.subscription.handle(event, attempts)),
      );
      this.metrics.noteOutcome(name, 'delivered');
      return { state: 'delivered', attempts, error: null };
    } catch (error) {
      if (this.stopping.aborted) return undefined;
      const waitMs = retryAfterMs[due.attempts];
      const state = waitMs === undefined ? 'failed' : 'pending';
      this.metrics.noteOutcome(name, state === 'failed' ? 'failed' : 'retried');
      const message = messageOf(error);
      const about = { subscription: name, event: event.eventId, error: message };
      this.logger.warn({ message: `an event was not handled: ${state}`, ...about });
      const retried = state === 'pending' ? { dueAt: this.clock.nowMs() + retryAfter(error, waitMs) } : {};
      return { ...retried, state, attempts, error: storable(message) };
    }
  }

  /** An account must not learn, in events of what it owns, of the requests of others, nor use their connections. */
  private principalFor({ actorAccountId, requestId, traceId }: LoggedEvent): Principal {
    const { name: actor, filter } = this.subscription;
    if (filter.accountId !== undefined) return { actor, accountId: filter.accountId };
    return {
      actor,
      accountId: actorAccountId ?? undefined,
      requestId: requestId ?? undefined,
      traceId: traceId ?? undefined,
    };
  }
}

/** PostgreSQL refuses U+0000, and half a character is none. */
function storable(message: string): string {
  return message.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '\uFFFD').toWellFormed();
}
