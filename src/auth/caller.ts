import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Problem } from '../platform/errors/error-codes.js';
import { requestOf } from '../http/requests/request.js';
import type { Access } from './access.decorators.js';
import type { ApiKey } from './keys/api-key.entity.js';
import { type Limits, limitsAt, type PlanName } from './keys/plan.js';

/** The caller of a request, from its key. The same object for all requests while the key is cached. */
export interface Caller {
  readonly keyId: string;
  readonly keyName?: string;
  /** In Unix time in milliseconds; absent if the key does not expire. */
  readonly keyExpiresAtMs?: number;
  readonly accountId: number;
  readonly account: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  /** When the limits of the plan apply again, in Unix time in milliseconds; absent if they apply now. */
  readonly limitsEndAtMs?: number;
  readonly scopes: ReadonlySet<string>;
  /** When an operator last lifted the bans and strikes of the key, in Unix time in milliseconds; 0 for never. */
  readonly bansLiftedAtMs: number;
}

export function callerOf({ id, name, expiresAt, account, scopes, bansLiftedAt }: ApiKey, atMs: number): Caller {
  return {
    keyId: id,
    ...(name === null ? {} : { keyName: name }),
    ...(expiresAt === null ? {} : { keyExpiresAtMs: expiresAt }),
    accountId: account.id,
    account: account.name,
    plan: account.plan,
    ...limitsAt(account, atMs),
    scopes: new Set(scopes),
    bansLiftedAtMs: bansLiftedAt ?? 0,
  };
}

/** The 403 of a suspended account, whose key itself is valid. */
export type Suspended = Problem & { readonly caller: Caller };
/** The caller of a key, or why it is refused. */
export type Authentication = Caller | Problem | Suspended;

/** Injects the caller of the request into a handler; undefined only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller | undefined => requestOf(context).caller,
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by admission, once the request has its quota; absent on public routes. */
    caller: Caller | undefined;
    /** What the matched route declares, once the caller is admitted to it: the same object. */
    admittedTo: Access | undefined;
  }
}
