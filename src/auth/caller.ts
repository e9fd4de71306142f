import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type AuthenticationFailure, EXPIRED, REVOKED } from './authentication/refusals.js';
import { type Limits, limitsOf, type PlanName } from '../accounts/index.js';
import type { ApiKey } from '../api-keys/index.js';
import { requestOf } from '../http/index.js';

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
export function callerOf(key: Pick<ApiKey, 'id' | 'account' | 'scopes' | 'bansLiftedAt'>): Caller {
  const { id, account, scopes, bansLiftedAt } = key;
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

/** The caller of a key, or why it is refused. */
export type Verdict = Caller | AuthenticationFailure;

/** The times that decide whether a key is valid. */
export type KeyValidity = Pick<ApiKey, 'expiresAt' | 'revokedAt'>;

/** The verdict on the key of a caller at a time, in Unix time in milliseconds. */
export function verdictOn({ expiresAt, revokedAt }: KeyValidity, caller: Caller, atMs: number): Verdict {
  if (revokedAt !== null) return REVOKED;
  return expiresAt === null || atMs < expiresAt ? caller : EXPIRED;
}

/** Whether a key was accepted. */
export function isCaller(verdict: Verdict): verdict is Caller {
  return 'keyId' in verdict;
}

/** Injects the caller of the request into a handler; undefined only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined => requestOf(context).caller,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by admission; absent outside the versioned API. */
    caller: Caller | undefined;
  }
}
