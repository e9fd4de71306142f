import { SetMetadata } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DomainEvent, EventName } from './domain-event.js';

const BEFORE_COMMIT = 'petstore:before-commit';

/** A method that hears of an event in its transaction. */
export type BeforeCommitListener<Name extends EventName> = (
  event: DomainEvent<Name>,
  manager: EntityManager,
) => void | Promise<void>;

/**
 * Has a method of a provider called in the transaction of an event, with the event and the `EntityManager`. What it writes
 * is committed or rolled back with the rest, and an error that it throws refuses the whole: a DomainError or ApiError is
 * what the client gets. It must await nothing but the database. For what comes after the commit, use `@OnEvent()`.
 */
export function BeforeCommit<Name extends EventName>(name: Name) {
  return <Method extends BeforeCommitListener<Name>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(BEFORE_COMMIT, name)(target, key, descriptor);
  };
}

/** The event that a method is to hear of, if any. */
export function beforeCommitOf(method: Function): EventName | undefined {
  return Reflect.getMetadata(BEFORE_COMMIT, method) as EventName | undefined;
}
