import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Access } from './access.decorators.js';
import { EXPIRED, REVOKED } from './authentication/refusals.js';
import { type Limits, limitsOf, type PlanName, type ApiKey } from '../accounts/index.js';
import { type Problem, requestOf } from '../http/index.js';

/** The caller of a request, from its key. The same object for all requests while the key is cached. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: number;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly scopes: ReadonlySet<string>;
  /** When an operator last lifted the bans and strikes of the key, in Unix time in milliseconds; 0 for never. */
  readonly bansLiftedAtMs: number;
}

/** @param key with its account */
export function callerOf({ id, account, scopes, bansLiftedAt }: ApiKey): Caller {
  return {
    keyId: id,
    accountId: account.id,
    account: account.name,
    plan: account.plan,
    limits: limitsOf(account),
    scopes: new Set(scopes.split(' ')),
    bansLiftedAtMs: bansLiftedAt ?? 0,
  };
}

/** The caller of a key, or the 401. */
export type Authentication = Caller | Problem;

/** The 401 of a key that is not valid at a time, in Unix time in milliseconds. */
export function refusalOf(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, atMs: number): Problem | undefined {
  if (key.revokedAt !== null) return REVOKED;
  return key.expiresAt !== null && key.expiresAt <= atMs ? EXPIRED : undefined;
}

/** Whether a key was accepted. */
export function isCaller(authentication: Authentication): authentication is Caller {
  return 'keyId' in authentication;
}

/** Injects the caller of the request into a handler; undefined only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined => requestOf(context).caller,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by admission; absent outside the versioned API. */
    caller: Caller | undefined;
    /** What the matched route declares, once the caller is admitted to it: the same object. */
    admittedTo: Access | undefined;
  }
}
