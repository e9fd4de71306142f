import type { EntityManager } from 'typeorm';
import type { EventOf, EventPattern } from './domain-event.js';
import { markListening } from './listening-methods.js';

export const BEFORE_COMMIT = 'petstore:before-commit';

export type BeforeCommitListener<Pattern extends EventPattern, IsBatch extends boolean = false> = (
  heard: IsBatch extends true ? readonly EventOf<Pattern>[] : EventOf<Pattern>,
  manager: EntityManager,
) => void | Promise<void>;

export interface Listening {
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
    markListening(BEFORE_COMMIT, listening)(target, key, descriptor);
  };
}
