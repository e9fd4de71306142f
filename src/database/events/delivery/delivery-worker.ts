import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { Clock } from '../../../platform/config/clock.js';
import { endsInTime, RecurringTask } from '../../../platform/recurring-task.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { runFor } from '../actor.js';
import { EventLog } from '../event-log.js';
import { Deliveries, type DeliveryOutcome, type DueDelivery, LEASE_MS } from './deliveries.js';
import { RetryLater, type Subscription, type SubscriptionSource } from './subscription.js';

/** After traffic, which may have appended events in another process that has ended since. */
const POLL_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Subscriptions whose events a process handles at the same time. */
const MOST_SUBSCRIPTIONS = 16;
const MAX_ERROR_LENGTH = 1_000;
/** By how much waits vary, so that what failed together is not tried again together. */
const JITTER = 0.1;

/**
 * Hands the events of the log to subscriptions. It looks for work when this process commits events, when a delivery is due,
 * within a second of traffic, and each hour: an idle process asks its database nothing else.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly owner = randomUUID();
  private readonly sources: SubscriptionSource[] = [];
  private readonly active = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly polls: RecurringTask;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isWoken = false;
  private readonly outcomes: Counter<'subscription' | 'outcome'>;
  private readonly lag: Gauge<'subscription'>;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly log: EventLog,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    const look = () => Promise.resolve(this.wake());
    this.polls = new RecurringTask('delivering events', POLL_MS, look, { restsWhenIdle: () => true });
    this.outcomes = new Counter({
      name: 'petstore_event_deliveries_total',
      help: 'Attempts to hand an event to a subscription, by outcome.',
      labelNames: ['subscription', 'outcome'],
      registers: [registry],
    });
    this.lag = new Gauge({
      name: 'petstore_event_lag_seconds',
      help: 'Age of the event of the last attempt.',
      labelNames: ['subscription'],
      registers: [registry],
    });
  }

  addSource(source: SubscriptionSource): void {
    this.sources.push(source);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.sources.length === 0) return;
    this.log.appended.subscribe(() => this.wake());
    this.polls.start();
    this.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.polls.stop();
    await endsInTime(() => 'deliveries of events', Promise.all([this.looking, ...this.active.values()]));
  }

  /** Looks for work now. */
  wake(): void {
    this.isWoken = true;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
  }

  private async look(): Promise<void> {
    try {
      while (this.isWoken && !this.stopping.signal.aborted) {
        this.isWoken = false;
        const subscriptions = (await Promise.all(this.sources.map((source) => source.subscriptions()))).flat();
        if (subscriptions.length === 0) return;
        const read = await this.deliveries.fanOut(subscriptions);
        if (read === 'more') this.isWoken = true;
        const { names, nextMs } = await this.deliveries.due(subscriptions.map(({ name }) => name));
        for (const subscription of subscriptions) if (names.includes(subscription.name)) this.begin(subscription);
        this.lookAt(Math.min(nextMs ?? Infinity, read === 'open' ? this.clock.nowMs() + POLL_MS : Infinity));
      }
    } catch (error) {
      this.logger.warn({ message: 'events cannot be delivered now; retrying', error: String(error) });
      this.lookAt(this.clock.nowMs() + POLL_MS);
    }
  }

  private lookAt(atMs: number): void {
    clearTimeout(this.timer);
    if (atMs === Infinity || this.stopping.signal.aborted) return;
    const waitMs = Math.min(Math.max(atMs - this.clock.nowMs(), 1), HOUR_MS);
    this.timer = setTimeout(() => this.wake(), waitMs).unref();
  }

  private begin(subscription: Subscription): void {
    const { name } = subscription;
    if (this.active.has(name) || this.active.size >= MOST_SUBSCRIPTIONS) return;
    const work = this.handleAll(subscription)
      .catch((error: unknown) => {
        this.logger.warn({ message: 'deliveries were interrupted', subscription: name, error: String(error) });
        this.lookAt(this.clock.nowMs() + POLL_MS);
      })
      .finally(() => this.active.delete(name));
    this.active.set(name, work);
  }

  /** Holds the lease while there is something due. */
  private async handleAll(subscription: Subscription): Promise<void> {
    const { name } = subscription;
    if (!(await this.deliveries.lease(name, this.owner))) return this.lookAt(this.clock.nowMs() + POLL_MS);
    let isOurs = true;
    let handled = 0;
    const renew = setInterval(() => {
      void this.deliveries.lease(name, this.owner).then(
        (is) => (isOurs &&= is),
        () => undefined,
      );
    }, LEASE_MS / 3).unref();
    try {
      for (;;) {
        const due = await this.deliveries.read(name);
        if (due.length === 0) break;
        handled += due.length;
        await this.handleSome(subscription, due, () => isOurs && !this.stopping.signal.aborted);
        if (!isOurs || this.stopping.signal.aborted) break;
      }
    } finally {
      clearInterval(renew);
      if (isOurs) await this.deliveries.lease(name, this.owner, 0);
    }
    // Those that are due behind another one of their subject wait for that.
    if (handled > 0) this.wake();
  }

  private async handleSome(subscription: Subscription, due: readonly DueDelivery[], mayGoOn: () => boolean) {
    const outcomes: DeliveryOutcome[] = [];
    const waiting = [...due];
    const handleNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && mayGoOn(); next = waiting.shift())
        outcomes.push(await this.handle(subscription, next));
    };
    await Promise.all(Array.from({ length: subscription.atOnce }, handleNext));
    await this.deliveries.record(subscription, outcomes);
  }

  private async handle(subscription: Subscription, { place, attempts, event }: DueDelivery): Promise<DeliveryOutcome> {
    const { name, retryAfterMs } = subscription;
    const [group = name] = name.split(':');
    const outcome = { place, attempts: attempts + 1, dueAt: this.clock.nowMs(), error: null };
    if (event === undefined) return { ...outcome, state: 'failed', error: 'The event was deleted.' };
    this.lag.set({ subscription: group }, (this.clock.nowMs() - event.at) / 1_000);
    const { actorAccountId, requestId, traceId } = event;
    const by = {
      actor: name,
      accountId: actorAccountId ?? undefined,
      requestId: requestId ?? undefined,
      traceId: traceId ?? undefined,
    };
    try {
      await runFor(by, () => inSpan(`deliver ${event.type}`, {}, () => subscription.handle(event, outcome.attempts)));
      this.outcomes.inc({ subscription: group, outcome: 'delivered' });
      return { ...outcome, state: 'delivered' };
    } catch (error) {
      const waitMs = retryAfterMs[attempts];
      const state = waitMs === undefined ? 'failed' : 'pending';
      this.outcomes.inc({ subscription: group, outcome: state === 'failed' ? 'failed' : 'retried' });
      const message = error instanceof Error ? error.message : String(error);
      this.logger.warn({
        message: `an event was not handled: ${state}`,
        subscription: name,
        event: event.eventId,
        error: message,
      });
      const spread = (waitMs ?? 0) * (1 + JITTER * (2 * Math.random() - 1));
      const dueAt = this.clock.nowMs() + Math.round(Math.max(spread, error instanceof RetryLater ? error.afterMs : 0));
      return { ...outcome, state, dueAt, error: message.slice(0, MAX_ERROR_LENGTH) };
    }
  }
}
