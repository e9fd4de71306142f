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
import { currentActor } from './actor.js';
import type { DomainEvent, EventMap, EventName } from './domain-event.js';

const BEFORE_COMMIT = 'petstore:before-commit';

export type BeforeCommitListener<Name extends EventName> = (
  event: DomainEvent<Name>,
  manager: EntityManager,
) => void | Promise<void>;

/**
 * Calls a method of a provider in the transaction of an event. Its writes are committed or rolled back with the rest. If it
 * throws, the transaction is rolled back, and the client gets the error. It must await nothing but the database. To listen
 * after the commit, use `@OnEvent()`.
 */
export function BeforeCommit<Name extends EventName>(name: Name) {
  return <Method extends BeforeCommitListener<Name>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(BEFORE_COMMIT, [name, ...beforeCommitOf(descriptor.value ?? Object)])(target, key, descriptor);
  };
}

function beforeCommitOf(method: Function): readonly EventName[] {
  return (Reflect.getMetadata(BEFORE_COMMIT, method) ?? []) as readonly EventName[];
}

/** Raises events: `@BeforeCommit()` listens in the transaction, `@OnEvent()` after the commit. */
@Injectable()
export class Events implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly beforeCommit = new Map<EventName, readonly BeforeCommitListener<EventName>[]>();
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
        for (const name of beforeCommitOf(method)) {
          if (!wrapper.isDependencyTreeStatic())
            throw new TypeError(`${wrapper.name} has a @BeforeCommit() method, so it must have the default scope.`);
          const listener: BeforeCommitListener<EventName> = (...args) => Reflect.apply(method, instance, args);
          this.beforeCommit.set(name, [...(this.beforeCommit.get(name) ?? []), listener]);
        }
      }
    }
  }

  /** Whether a listener in the transaction can refuse an event. */
  canBeRefused(name: EventName): boolean {
    return this.beforeCommit.has(name);
  }

  /**
   * Raises an event. Call it in the transaction of the change. `change` is called only if there are listeners.
   * @throws (rejects) the error of a listener of `@BeforeCommit()`
   */
  async raise<Name extends EventName>(manager: EntityManager, name: Name, change: () => EventMap[Name]): Promise<void> {
    const listeners = this.beforeCommit.get(name);
    const isHeardLater = this.emitter.hasListeners(name);
    if (listeners === undefined && !isHeardLater) return;
    const { before, after } = change();
    const states = { before: copyOf(before), after: copyOf(after) };
    const event = { id: randomUUID(), name, atMs: this.clock.nowMs(), actor: currentActor(), ...states };
    for (const listener of listeners ?? [])
      await inSpan(`before commit ${name}`, {}, async () => listener(event, manager));
    if (isHeardLater) onCommit(() => this.deliver(event));
  }

  /** Waits for listeners before the database is closed, but not for those that take too long, or raise events for ever. */
  async onApplicationShutdown(): Promise<void> {
    const names = () => `listeners to ${[...new Set(this.underWay.values())].join(' and ')}`;
    const delivered = async () => {
      while (this.underWay.size > 0) await Promise.all(this.underWay.keys());
    };
    await endsInTime(names, delivered());
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

/** Responses are made from the same objects, and what a listener changes must not change them. */
function copyOf<State>(state: State): State {
  return typeof state === 'object' && state !== null ? { ...state } : state;
}
