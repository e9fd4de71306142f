import { AsyncLocalStorage } from 'node:async_hooks';

const principals = new AsyncLocalStorage<{ actor: string | undefined; accountId: number | undefined }>();

/**
 * Does work in the name of an actor, which the events of the work have. The handler of a request acts as its API key.
 * @param accountId the account that the work is done for; default: that of the caller
 */
export function runAs<T>(actor: string | undefined, work: () => T, accountId = currentAccountId()): T {
  return principals.run({ actor, accountId }, work);
}

export function currentActor(): string | undefined {
  return principals.getStore()?.actor;
}

export function currentAccountId(): number | undefined {
  return principals.getStore()?.accountId;
}
