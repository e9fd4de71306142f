import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string | undefined>();

/** Does work in the name of an actor, which the events of the work have. The handler of a request acts as its API key. */
export function actAs<T>(actor: string | undefined, work: () => T): T {
  return actors.run(actor, work);
}

/** The actor of the current work; undefined if unknown. */
export function currentActor(): string | undefined {
  return actors.getStore();
}
