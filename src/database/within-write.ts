import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';

export type Work<T> = (manager: EntityManager) => Promise<T>;

type Callback = () => void | Promise<void>;

const callbacksOfWrite = new AsyncLocalStorage<Callback[]>();

/**
 * Has something done when the write that is under way has ended, and before anybody is told of its outcome. Also where
 * it failed: a commit whose outcome is unknown may have happened.
 * @throws Error outside of `Database.write`
 */
export function afterWrite(callback: Callback): void {
  const callbacks = callbacksOfWrite.getStore();
  if (callbacks === undefined) throw new Error('afterWrite was called outside of Database.write.');
  callbacks.push(callback);
}

/**
 * @param transact does in a transaction what it is given
 * @throws Error within a write: another would wait for the one that waits for it
 */
export async function asWrite<T>(work: Work<T>, transact: (work: Work<T>) => Promise<T>): Promise<T> {
  if (callbacksOfWrite.getStore() !== undefined) {
    throw new Error('Database.write was called within Database.write. Use the manager that the outer one hands over.');
  }
  const callbacks: Callback[] = [];
  try {
    return await transact((manager) => callbacksOfWrite.run(callbacks, () => work(manager)));
  } finally {
    for (const callback of callbacks) await callback();
  }
}
