import { AsyncLocalStorage } from 'node:async_hooks';

/** Who makes a change, and for whom. */
export interface Principal {
  readonly actor: string | undefined;
  readonly accountId: number | undefined;
  /** Of the request that asked for the change. */
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
}

/** For work that several callers share. */
export const NOBODY: Principal = { actor: undefined, accountId: undefined };
const principals = new AsyncLocalStorage<Principal>();

/**
 * Runs work in the name of an actor, which its events contain. The handler of a request acts as its API key.
 * @param accountId the account that the work is done for; default: that of the caller
 */
export function runAs<T>(actor: string | undefined, work: () => T, accountId = currentAccountId()): T {
  return runFor({ ...currentPrincipal(), actor, accountId }, work);
}

export function runFor<T>(principal: Principal, work: () => T): T {
  return principals.run(principal, work);
}

export function currentPrincipal(): Principal {
  return principals.getStore() ?? NOBODY;
}

export function currentActor(): string | undefined {
  return currentPrincipal().actor;
}

export function currentAccountId(): number | undefined {
  return currentPrincipal().accountId;
}
