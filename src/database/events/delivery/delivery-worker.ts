import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Registry } from '@prometheus-io/client';
import { Clock } from '../../../platform/config/clock.js';
import { describe } from '../../../platform/errors/domain-error.js';
import { endsInTime, RecurringTask } from '../../../platform/recurring-task.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { runFor } from '../actor.js';
import { EventLog } from '../event-log.js';
import { Deliveries, type DeliveryOutcome, type DeliveryResult, type DueDelivery } from './deliveries.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { HeldLease } from './held-lease.js';
import { retryAfter, type Subscription, type SubscriptionSource } from './subscription.js';

/** After traffic, which may have appended events in another process that has ended since. */
const POLL_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Subscriptions whose events a process handles at the same time. Those that fail use half of it, as they can hang. */
const MOST_SUBSCRIPTIONS = 16;
const MOST_FAILING = MOST_SUBSCRIPTIONS / 2;
/** When a subscription makes room for others, and its state is read again. */
const TURN_MS = 1_000;
const MAX_ERROR_LENGTH = 1_000;

/**
 * Hands the events of the log to subscriptions. It looks for work when this process commits events, when a delivery is due,
 * within a second of traffic, and each hour: an idle process asks its database nothing else.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly owner = randomUUID();
  private readonly sources: SubscriptionSource[] = [];
  private readonly active = new Map<string, { readonly work: Promise<void>; readonly isFailing: boolean }>();
  /** Names of those that found no room, first come first served. */
  private waiting: readonly string[] = [];
  private readonly stopping = new AbortController();
  private readonly polls: RecurringTask;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isWoken = false;
  private readonly metrics: DeliveryMetrics;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly log: EventLog,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    const look = () => Promise.resolve(this.wake());
    this.polls = new RecurringTask('delivering events', POLL_MS, look, { restsWhenIdle: () => true });
    this.metrics = new DeliveryMetrics(registry);
  }

  /** @param names of its subscriptions, or what they begin with before a colon, for the metrics */
  addSource(source: SubscriptionSource, ...names: readonly string[]): void {
    this.sources.push(source);
    for (const name of names) this.metrics.begin(name);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.sources.length === 0) return;
    this.log.appended.subscribe(() => this.wake());
    this.polls.start();
    this.wake();
  }

  /** Before other providers interrupt what they do. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.polls.stop();
    const active = Array.from(this.active.values(), ({ work }) => work);
    await endsInTime(() => 'deliveries of events', Promise.all([this.looking, ...active]));
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
        this.beginAll(subscriptions, names);
        this.lookAt(Math.min(nextMs, read === 'open' ? this.clock.nowMs() + POLL_MS : Infinity));
      }
    } catch (error) {
      this.logger.warn({ message: 'events cannot be delivered now; retrying', error: describe(error, 'message') });
      this.lookAt(this.clock.nowMs() + POLL_MS);
    }
  }

  private lookAt(atMs: number): void {
    clearTimeout(this.timer);
    if (atMs === Infinity || this.stopping.signal.aborted) return;
    const waitMs = Math.min(Math.max(atMs - this.clock.nowMs(), 1), HOUR_MS);
    this.timer = setTimeout(() => this.wake(), waitMs).unref();
  }

  private beginAll(subscriptions: readonly Subscription[], due: readonly string[]): void {
    const byName = new Map(subscriptions.map((subscription) => [subscription.name, subscription]));
    const queue = new Set([...this.waiting.filter((name) => due.includes(name)), ...due]);
    this.waiting = [...queue].filter((name) => {
      const subscription = byName.get(name);
      return subscription !== undefined && !this.active.has(name) && !this.begin(subscription);
    });
  }

  /** @returns whether there is room for it */
  private begin(subscription: Subscription): boolean {
    const { name, isFailing = false } = subscription;
    const failing = [...this.active.values()].filter((one) => one.isFailing).length;
    if (this.active.size >= MOST_SUBSCRIPTIONS || (isFailing && failing >= MOST_FAILING)) return false;
    const work = this.handleAll(subscription)
      .catch((error: unknown) => {
        this.logger.warn({
          message: 'deliveries were interrupted',
          subscription: name,
          error: describe(error, 'message'),
        });
        this.lookAt(this.clock.nowMs() + POLL_MS);
      })
      .finally(() => {
        this.active.delete(name);
        if (this.waiting.length > 0) this.wake();
      });
    this.active.set(name, { work, isFailing });
    return true;
  }

  /** Holds the lease while there is something due, for a turn. */
  private async handleAll(subscription: Subscription): Promise<void> {
    const { name } = subscription;
    const endMs = performance.now() + TURN_MS;
    const lease = await HeldLease.take(this.deliveries, name, this.owner);
    if (lease === undefined) return this.lookAt(this.clock.nowMs() + POLL_MS);
    const mayGoOn = () => lease.isOurs && performance.now() < endMs && !this.stopping.signal.aborted;
    try {
      while (mayGoOn()) {
        const due = await this.deliveries.read(name);
        if (due.length === 0) break;
        await this.handleSome(subscription, due, mayGoOn);
      }
    } finally {
      await lease.release();
    }
    // What is due in the next turn, or at a later time.
    this.wake();
  }

  /** Handles several subjects at once, and the events of each one after the other, up to one that is tried again. */
  private async handleSome(subscription: Subscription, due: readonly DueDelivery[], mayGoOn: () => boolean) {
    const outcomes: DeliveryOutcome[] = [];
    const waiting = [...Map.groupBy(due, ({ subject }) => subject).values()];
    const handleNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        for (const one of next) {
          const result = mayGoOn() ? await this.handle(subscription, one) : undefined;
          if (result !== undefined) outcomes.push({ place: one.place, subject: one.subject, result });
          if (result === undefined || result.state === 'pending') break;
        }
    };
    await Promise.all(Array.from({ length: subscription.atOnce }, handleNext));
    await this.deliveries.record(subscription, outcomes);
  }

  /** @returns undefined if the stop may have interrupted it */
  private async handle(subscription: Subscription, due: DueDelivery): Promise<DeliveryResult | undefined> {
    const [{ event }, { name, retryAfterMs }] = [due, subscription];
    const attempts = due.attempts + 1;
    if (event === undefined) return { state: 'failed', attempts, error: 'The event was deleted.' };
    this.metrics.noteAttempt(name, this.clock.nowMs() - event.at);
    const { actorAccountId, requestId, traceId } = event;
    const by = {
      actor: name,
      accountId: actorAccountId ?? undefined,
      requestId: requestId ?? undefined,
      traceId: traceId ?? undefined,
    };
    try {
      await runFor(by, () => inSpan(`deliver ${event.type}`, {}, () => subscription.handle(event, attempts)));
      this.metrics.noteOutcome(name, 'delivered');
      return { state: 'delivered', attempts, error: null };
    } catch (error) {
      if (this.stopping.signal.aborted) return undefined;
      const waitMs = retryAfterMs[due.attempts];
      const state = waitMs === undefined ? 'failed' : 'pending';
      this.metrics.noteOutcome(name, state === 'failed' ? 'failed' : 'retried');
      const message = error instanceof Error ? error.message : String(error);
      const about = { subscription: name, event: event.eventId, error: message };
      this.logger.warn({ message: `an event was not handled: ${state}`, ...about });
      const retried = state === 'pending' ? { dueAt: this.clock.nowMs() + retryAfter(error, waitMs) } : {};
      return { ...retried, state, attempts, error: message.slice(0, MAX_ERROR_LENGTH) };
    }
  }
}
