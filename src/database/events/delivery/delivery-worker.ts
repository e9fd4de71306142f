import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Registry } from '@prometheus-io/client';
import { Clock, HOUR_MS } from '../../../platform/config/clock.js';
import { describe } from '../../../platform/errors/domain-error.js';
import { endsInTime, RecurringTask } from '../../../platform/recurring-task.js';
import { Database } from '../../database.js';
import { NOBODY, runFor } from '../actor.js';
import { EventLog } from '../event-log.js';
import { Deliveries } from './deliveries.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryTurn } from './delivery-turn.js';
import type { Subscription, SubscriptionSource } from './subscription.js';
import { HeldLease, Subscriptions } from './subscriptions.js';

/** After traffic, which may have appended events in another process that has ended since. */
const POLL_MS = 1_000;
/** Subscriptions whose events a process handles at the same time. Those that fail use half of it, as they can hang. */
const MOST_SUBSCRIPTIONS = 16;
const MOST_FAILING = MOST_SUBSCRIPTIONS / 2;
/** When a subscription makes room for others. */
const TURN_MS = 1_000;

/**
 * Hands the events of the log to subscriptions. It looks for work when this process commits events, when a delivery is due,
 * within a second of traffic, of a check of readiness and of another process that wrote to SQLite, and each hour.
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
  /** Whether subscriptions are read anew: after this poll, there may be none for an hour. */
  private readsAnew = false;
  private readonly metrics: DeliveryMetrics;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly subscriptions: Subscriptions,
    private readonly log: EventLog,
    private readonly clock: Clock,
    database: Database,
    registry: Registry,
  ) {
    const look = async () => {
      this.readsAnew = true;
      this.wake();
    };
    const restsWhenIdle = () => !database.wasWrittenElsewhere();
    this.polls = new RecurringTask('delivering events', POLL_MS, look, { restsWhenIdle });
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

  /** Looks for work now, for nobody: the caller may have committed events for an account. */
  wake(): void {
    this.isWoken = true;
    this.looking ??= runFor(NOBODY, () => this.look()).finally(() => {
      this.looking = undefined;
      // Woken when it had looked for the last time.
      if (this.isWoken && !this.stopping.signal.aborted) this.wake();
    });
  }

  private async look(): Promise<void> {
    try {
      while (this.isWoken && !this.stopping.signal.aborted) {
        this.isWoken = false;
        const anew = this.readsAnew;
        this.readsAnew = false;
        if ((await this.readSources(anew)).length === 0) continue;
        const end = await this.log.end();
        // After the end, so that they include each change, also by another instance, before the events up to there.
        const subscriptions = await this.readSources();
        const read = await this.subscriptions.fanOut(subscriptions, end);
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
    const lease = await HeldLease.take(this.subscriptions, name, this.owner);
    if (lease === undefined) return this.lookAt(this.clock.nowMs() + POLL_MS);
    const { signal } = this.stopping;
    const mayBegin = () => lease.isOurs && !signal.aborted;
    const current = async () => (await this.readSources()).find((one) => one.name === name);
    const turn = new DeliveryTurn(subscription, current, this.deliveries, this.metrics, this.clock, mayBegin, signal);
    try {
      // What is slow keeps the lease. Other subjects go on meanwhile, unless other subscriptions wait for room.
      let goesOn = true;
      while (goesOn) goesOn = (await turn.handle(TURN_MS)) && this.waiting.length === 0;
    } finally {
      await turn.end().finally(() => lease.release());
    }
    // What is due in the next turn, or at a later time.
    this.wake();
  }

  private async readSources(anew = false): Promise<Subscription[]> {
    return (await Promise.all(this.sources.map((source) => source.subscriptions(anew)))).flat();
  }
}
