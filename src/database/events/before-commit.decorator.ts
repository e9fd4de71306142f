import { SetMetadata } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DomainEvent, EventName } from './domain-event.js';

const BEFORE_COMMIT = 'petstore:before-commit';

/** A method that listens to an event in its transaction. */
export type BeforeCommitListener<Name extends EventName> = (
  event: DomainEvent<Name>,
  manager: EntityManager,
) => void | Promise<void>;

/**
 * Calls a method of a provider in the transaction of an event, with the event and the `EntityManager`. Its writes are
 * committed or rolled back with the rest. If it throws, the transaction is rolled back, and the client gets the error. It
 * must await nothing but the database. To listen after the commit, use `@OnEvent()`.
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

/** The events that a method listens to. */
export function beforeCommitOf(method: Function): readonly EventName[] {
  return (Reflect.getMetadata(BEFORE_COMMIT, method) ?? []) as readonly EventName[];
}
