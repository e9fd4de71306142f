import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Caller, EventFilter, LoggedEvent } from '../kernel.js';
import { ActiveKeys, Clock, Env, EventLog, EventTypes } from '../kernel.js';
import type { ListEventsQuery } from './event.dto.js';
import { cursorExpired, cursorText, type EventCursor, isOld, OLDEST, parseEventCursor } from './event-cursor.js';

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** The cursor of the next page, which follows even if there is no event yet. */
  readonly nextAfter: string;
}

/** How often the log is read again while a response waits, in case another process appends. */
const POLL_MS = 1_000;
const MOST_WAITING_OF_KEY = 5;
const MOST_WAITING = 500;

/** Reads the log for consumers. A key sees events of the resources that its scopes let it read. */
@Injectable()
export class EventFeed implements OnModuleInit {
  private readonly waitingByKey = new Map<string, number>();
  private waiting = 0;
  private readonly stopping = new AbortController();

  constructor(
    private readonly log: EventLog,
    private readonly types: EventTypes,
    private readonly keys: ActiveKeys,
    private readonly env: Env,
    private readonly clock: Clock,
    private readonly adapters: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    // Responses in progress end before providers get to know of the stop.
    const server: FastifyInstance = this.adapters.httpAdapter.getInstance();
    server.addHook('preClose', async () => this.stopping.abort());
  }

  /**
   * Reads the events after a cursor.
   * @param wait until there is one, for at most some milliseconds or until the signal
   * @throws (rejects) DomainError `validation_failed` or `event_cursor_expired`
   */
  async page(caller: Caller, query: ListEventsQuery, wait?: { ms: number; signal: AbortSignal }): Promise<EventPage> {
    const filter = { types: this.readable(caller, query.types), accountId: caller.accountId, subject: query.subject };
    let position: EventCursor = await this.start(query.after);
    const deadlineMs = performance.now() + (wait?.ms ?? 0);
    for (;;) {
      const { events, end } = await this.read(filter, position, query.limit);
      await this.refuseGap(position);
      // Meanwhile the key can have been revoked or narrowed: its next request says so.
      if (wait !== undefined && events.length > 0 && !(await this.canStillRead(caller, filter.types)))
        return { events: [], nextAfter: cursorText(position) };
      position = end;
      const leftMs = deadlineMs - performance.now();
      const isOver = wait === undefined || leftMs <= 0 || wait.signal.aborted || this.stopping.signal.aborted;
      if (events.length > 0 || isOver) return { events, nextAfter: cursorText(position) };
      await this.appended(Math.min(leftMs, POLL_MS), wait.signal);
    }
  }

  /** Lets a response of a key wait, unless too many do. @returns what ends it; undefined if it must not wait */
  beginWait(keyId: string): (() => void) | undefined {
    const ofKey = this.waitingByKey.get(keyId) ?? 0;
    if (ofKey >= MOST_WAITING_OF_KEY || this.waiting >= MOST_WAITING) return undefined;
    this.waiting += 1;
    this.waitingByKey.set(keyId, ofKey + 1);
    return () => {
      this.waiting -= 1;
      const left = (this.waitingByKey.get(keyId) ?? 1) - 1;
      if (left === 0) this.waitingByKey.delete(keyId);
      else this.waitingByKey.set(keyId, left);
    };
  }

  private readable({ scopes }: Caller, patterns = '*'): string[] {
    const types = this.types.matching(patterns.split(','));
    return types.filter(({ scope }) => scopes.has(scope)).map(({ name }) => name);
  }

  private async canStillRead({ keyId }: Caller, types: readonly string[]): Promise<boolean> {
    const caller = (await this.keys.find([keyId])).get(keyId);
    return caller !== undefined && types.every((type) => caller.scopes.has(this.types.get(type)?.scope ?? ''));
  }

  private async start(after: string | undefined): Promise<EventCursor> {
    if (after === undefined) return OLDEST;
    if (after !== 'latest') return parseEventCursor(after);
    const atMs = this.clock.nowMs();
    const { final } = await this.log.end();
    return { place: final, atMs };
  }

  /**
   * Call it after the events after a cursor were read. Those after an event are not deleted before it, so there is no gap while
   * it is kept, unless a clock that was ahead wrote it.
   */
  private async refuseGap(cursor: EventCursor): Promise<void> {
    const nowMs = this.clock.nowMs();
    if (!isOld(cursor, this.env.EVENT_RETENTION_DAYS, nowMs)) return;
    const [event] = await this.log.readAt([cursor.place]);
    if (event === undefined || event.at > nowMs) throw cursorExpired();
  }

  private async read(filter: EventFilter, from: EventCursor, limit: number) {
    // Before the end is read, so that later events are not before it.
    const nowMs = this.clock.nowMs();
    const log = await this.log.end();
    // Of a log that was replaced by an older one, whose next events get these places again.
    if (from.place > log.last) throw cursorExpired();
    const events = await this.log.read(filter, from.place, log.final, limit);
    const last = events.length === limit ? events.at(-1) : undefined;
    const end = last
      ? { place: last.id, atMs: Math.min(last.at, nowMs) }
      : { place: Math.max(from.place, log.final), atMs: nowMs };
    return { events, end };
  }

  private async appended(atMostMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const subscription = this.log.appended.subscribe(() => woken.abort());
    const anyOf = AbortSignal.any([signal, this.stopping.signal, woken.signal]);
    await delay(atMostMs, undefined, { signal: anyOf }).catch(() => undefined);
    subscription.unsubscribe();
  }
}
