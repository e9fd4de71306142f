import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger, Module, type OnApplicationShutdown, type OnModuleInit, SetMetadata } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../platform/config/clock.js';
import { endsInTime } from '../../platform/recurring-task.js';
import { inSpan } from '../../platform/tracing/spans.js';
import { onCommit } from '../transaction.js';
import { currentPrincipal, type Principal, runFor } from './actor.js';
import type { DomainEvent, EventMap, EventName, EventOf, EventPattern } from './domain-event.js';

const BEFORE_COMMIT = 'petstore:before-commit';

export type BeforeCommitListener<Pattern extends EventPattern, IsBatch extends boolean = false> = (
  heard: IsBatch extends true ? readonly EventOf<Pattern>[] : EventOf<Pattern>,
  manager: EntityManager,
) => void | Promise<void>;

interface Listening {
  readonly pattern: string;
  readonly batch: boolean;
}

/**
 * Calls a method of a provider in the transaction of an event: `pet.created`, all of `pet.*`, or all (`*`). Its writes are
 * committed or rolled back with the rest. If it throws, the transaction is rolled back, and the client gets the error. It must
 * await nothing but the database. To listen after the commit, use `@OnEvent()`.
 * @param options `batch` calls it with all events that are raised together, in their order: pets that are created at the same
 * time share a transaction. If it throws, it is called again with each of them alone
 */
export function BeforeCommit<Pattern extends EventPattern, IsBatch extends boolean = false>(
  pattern: Pattern,
  { batch }: { readonly batch?: IsBatch } = {},
) {
  return <Method extends BeforeCommitListener<Pattern, IsBatch>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const listening: Listening = { pattern, batch: batch === true };
    SetMetadata(BEFORE_COMMIT, [listening, ...beforeCommitOf(descriptor.value ?? Object)])(target, key, descriptor);
  };
}

function beforeCommitOf(method: Function): readonly Listening[] {
  return (Reflect.getMetadata(BEFORE_COMMIT, method) ?? []) as readonly Listening[];
}

/** What is raised for one change. `change` is called only if there are listeners. */
export interface Raised<Name extends EventName> {
  readonly change: () => EventMap[Name];
  readonly by: Principal;
}

/** Raises events: `@BeforeCommit()` listens in the transaction, `@OnEvent()` after the commit. */
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
  ) {}

  onModuleInit(): void {
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance: unknown = wrapper.instance;
      if (typeof instance !== 'object' || instance === null || wrapper.isAlias) continue;
      for (const key of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const method: unknown = Reflect.get(instance, key);
        if (typeof method !== 'function') continue;
        for (const listening of beforeCommitOf(method)) {
          if (!wrapper.isDependencyTreeStatic())
            throw new TypeError(`${wrapper.name} has a @BeforeCommit() method, so it must have the default scope.`);
          this.beforeCommit.push({ ...listening, call: (...args) => Reflect.apply(method, instance, args) as unknown });
        }
      }
    }
  }

  /** Whether a listener in the transaction can refuse an event. */
  canBeRefused(name: EventName): boolean {
    return this.listenersOf(name).length > 0;
  }

  /**
   * Raises an event. Call it in the transaction of the change. `change` is called only if there are listeners.
   * @throws (rejects) the error of a listener of `@BeforeCommit()`
   */
  raise<Name extends EventName>(manager: EntityManager, name: Name, change: () => EventMap[Name]): Promise<void> {
    return this.raiseTogether(manager, name, [{ change, by: currentPrincipal() }]);
  }

  /** The same for several changes in one transaction, of one or several actors. */
  async raiseTogether<Name extends EventName>(
    manager: EntityManager,
    name: Name,
    raised: readonly Raised<Name>[],
  ): Promise<void> {
    const listeners = this.listenersOf(name);
    const isHeardLater = this.emitter.hasListeners(name);
    if (listeners.length === 0 && !isHeardLater) return;
    const events = raised.map(({ change, by: { actor } }): DomainEvent => {
      const { before, after } = change();
      const states = { before: copyOf(before), after: copyOf(after) };
      return { id: randomUUID(), name, atMs: this.clock.nowMs(), actor, ...states };
    });
    for (const { batch, call } of listeners)
      await inSpan(`before commit ${name}`, {}, async () => {
        if (batch) await call(events, manager);
        else for (const [index, { by }] of raised.entries()) await runFor(by, () => call(events[index], manager));
      });
    if (isHeardLater) onCommit(() => events.forEach((event) => this.deliver(event)));
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
    return this.beforeCommit.filter(({ pattern }) => isMatch(pattern, name));
  }

  /** In a later turn of the event loop, so that listeners do not delay the response. */
  private deliver(event: DomainEvent): void {
    const delivery = nextTurn()
      .then(() => inSpan(`event ${event.name}`, {}, async () => void (await this.emitter.emitAsync(event.name, event))))
      .catch((error: unknown) => {
        this.logger.error({ message: 'a listener failed', event: event.name, id: event.id, error: String(error) });
      })
      .finally(() => this.underWay.delete(delivery));
    this.underWay.set(delivery, event.name);
  }
}

/** Not global, because global modules are shut down last, and listeners must end before the database is closed. */
@Module({
  imports: [DiscoveryModule, EventEmitterModule.forRoot({ wildcard: true })],
  providers: [Events],
  exports: [Events],
})
export class EventsModule {}

function isMatch(pattern: string, name: string): boolean {
  return pattern === name || pattern === '*' || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
}

/** Responses are made from the same objects, and what a listener changes must not change them. */
function copyOf<State>(state: State): State {
  return typeof state === 'object' && state !== null ? { ...state } : state;
}
