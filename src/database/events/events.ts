import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { describe } from '../../platform/errors/domain-error.js';
import { jsonText } from '../../platform/int64.js';
import { endsInTime } from '../../platform/recurring-task.js';
import { inSpan } from '../../platform/tracing/spans.js';
import { onCommit } from '../transaction.js';
import { currentPrincipal, type Principal, runFor } from './actor.js';
import { BEFORE_COMMIT, type Listening } from './before-commit.decorator.js';
import type { DomainEvent, EventMap, EventName } from './domain-event.js';
import { EventLog, type NewLoggedEvent } from './event-log.js';
import { type EventDeclaration, type EventType, EventTypes, matches } from './event-types.js';
import { listeningMethods } from './listening-methods.js';
import { EVERY_ACCOUNT } from './logged-event.entity.js';

/** What is raised for one change. `change` is called only if the event is logged or has listeners. */
export interface Raised<Name extends EventName> {
  readonly change: () => EventMap[Name];
  readonly by: Principal;
  /** The account that alone can read it in the log. Default: all can. */
  readonly readerId?: number | undefined;
}

/**
 * Raises events: the log keeps those that are declared, `@BeforeCommit()` listens in the transaction, and `@OnEvent()` after
 * the commit.
 */
@Injectable()
export class Events implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly beforeCommit: (Listening & {
    readonly call: (heard: unknown, manager: EntityManager) => unknown;
  })[] = [];
  /** Names of events, by their delivery. */
  private readonly underWay = new Map<Promise<void>, EventName>();

  constructor(
    private readonly clock: Clock,
    readonly emitter: EventEmitter2,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly types: EventTypes,
    private readonly log: EventLog,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    const found = listeningMethods<Listening>(this.discovery, this.scanner, BEFORE_COMMIT);
    this.beforeCommit.push(...found.map(({ metadata, call }) => ({ ...metadata, call })));
  }

  /**
   * Lets the log keep events with these names. Call it in the constructor of the service that raises them.
   * @throws TypeError if the name of one was declared before
   */
  declare<Name extends EventName>(declaration: EventDeclaration<Name>): void {
    this.types.declare(declaration);
  }

  /** Whether an event must be raised in a transaction: it is logged, or a listener can refuse it. */
  needsTransaction(name: EventName): boolean {
    return this.loggedType(name) !== undefined || this.listenersOf(name).length > 0;
  }

  /**
   * Raises an event. Call it in the transaction of the change. `change` is called only if the event is logged or has listeners.
   * @param readerId the only account that can read it in the log; default: all can
   * @throws (rejects) the error of a listener of `@BeforeCommit()`
   */
  raise<Name extends EventName>(
    manager: EntityManager,
    name: Name,
    change: () => EventMap[Name],
    readerId?: number,
  ): Promise<void> {
    return this.raiseTogether(manager, name, [{ change, by: currentPrincipal(), readerId }]);
  }

  /** The same for several changes in one transaction, of one or several actors. */
  async raiseTogether<Name extends EventName>(
    manager: EntityManager,
    name: Name,
    raised: readonly Raised<Name>[],
  ): Promise<void> {
    const type = this.loggedType(name);
    const listeners = this.listenersOf(name);
    const isHeardLater = this.emitter.hasListeners(name);
    if (type === undefined && listeners.length === 0 && !isHeardLater) return;
    const events = raised.map(({ change, by }): DomainEvent => {
      const { before, after } = change();
      return { ...by, id: randomUUID(), name, atMs: this.clock.nowMs(), before, after };
    });
    // Before listeners, because what they raise in turn comes later.
    if (type !== undefined)
      await this.log.append(
        manager,
        events.map((event, index) => loggedEvent(event, type, raised[index]?.readerId)),
      );
    if (listeners.length === 0 && !isHeardLater) return;
    const copies = events.map(withOwnStates);
    for (const { batch, call } of listeners)
      await inSpan(`before commit ${name}`, {}, async () => {
        if (batch) await call(copies, manager);
        else for (const [index, { by }] of raised.entries()) await runFor(by, () => call(copies[index], manager));
      });
    if (isHeardLater) onCommit(() => copies.forEach((event) => this.deliver(event)));
  }

  /** Waits for listeners before the database is closed, but not for those that take too long, or raise events for ever. */
  async onApplicationShutdown(): Promise<void> {
    const names = () => `listeners to ${[...new Set(this.underWay.values())].join(' and ')}`;
    const delivered = async () => {
      while (this.underWay.size > 0) await Promise.all(this.underWay.keys());
    };
    await endsInTime(names, delivered());
  }

  private listenersOf(name: EventName) {
    return this.beforeCommit.filter(({ pattern }) => matches(pattern, name));
  }

  private loggedType(name: EventName): EventType | undefined {
    return this.env.EVENTS === 'on' ? this.types.get(name) : undefined;
  }

  /** In a later turn of the event loop, so that listeners do not delay the response. */
  private deliver(event: DomainEvent): void {
    const delivery = nextTurn()
      .then(() => inSpan(`event ${event.name}`, {}, async () => void (await this.emitter.emitAsync(event.name, event))))
      .catch((error: unknown) => {
        this.logger.error({
          message: 'a listener failed',
          event: event.name,
          id: event.id,
          error: describe(error, 'stack'),
        });
      })
      .finally(() => this.underWay.delete(delivery));
    this.underWay.set(delivery, event.name);
  }
}

/** Not global, because global modules are shut down last, and listeners must end before the database is closed. */
@Module({
  imports: [DiscoveryModule, EventEmitterModule.forRoot({ wildcard: true, maxListeners: 0 })],
  providers: [Events, EventTypes, EventLog],
  exports: [Events, EventTypes, EventLog],
})
export class EventsModule {}

/** Responses are made from the same objects, and what a listener changes must not change them. */
function withOwnStates(event: DomainEvent): DomainEvent {
  return { ...event, before: copyOf(event.before), after: copyOf(event.after) } as DomainEvent;
}

/** With the methods of its class, which the type of the event promises. */
function copyOf(state: unknown): unknown {
  if (Array.isArray(state)) return [...(state as readonly unknown[])];
  if (typeof state !== 'object' || state === null) return state;
  return Object.assign(Object.create(Object.getPrototypeOf(state) as object | null) as object, state);
}

function loggedEvent(event: DomainEvent, type: EventType, readerId = EVERY_ACCOUNT): NewLoggedEvent {
  const { id: eventId, atMs: at, before, after, actor, accountId, requestId, traceId } = event;
  const state = after ?? before;
  if (state === undefined) throw new TypeError(`The event ${type.name} has no state.`);
  return {
    eventId,
    type: type.name,
    accountId: readerId,
    subject: type.subject(state),
    data: jsonText(type.data(state)),
    actor: actor ?? null,
    actorAccountId: accountId ?? null,
    requestId: requestId ?? null,
    traceId: traceId ?? null,
    at,
  };
}
