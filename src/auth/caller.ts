import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Access } from './access.decorators.js';
import type { ApiKey } from './keys/api-key.entity.js';
import { type Limits, limitsOf, type PlanName } from './keys/plan.js';
import { listed, type Problem, problem } from '../platform/errors/error-codes.js';
import { requestOf } from '../http/requests/request.js';
import type { ErrorCode } from '../platform/errors/error-codes.js';

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
  readonly scopes: ReadonlySet<string>;
  /** When an operator last lifted the bans and strikes of the key, in Unix time in milliseconds; 0 for never. */
  readonly bansLiftedAtMs: number;
}

export function callerOf({ id, name, expiresAt, account, scopes, bansLiftedAt }: ApiKey): Caller {
  return {
    keyId: id,
    ...(name === null ? {} : { keyName: name }),
    ...(expiresAt === null ? {} : { keyExpiresAtMs: expiresAt }),
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
export function refusalOf(
  key: Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'pausedAt'>,
  atMs: number,
): Problem | undefined {
  if (key.revokedAt !== null) return REVOKED;
  if (key.expiresAt !== null && key.expiresAt <= atMs) return EXPIRED;
  return key.pausedAt === null ? undefined : PAUSED;
}

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

const REALM = 'Bearer realm="petstore"';
export const HOW = 'Send it as "Authorization: Bearer <API key>".';

/* The 401 of requests without a valid key, and the 403. Their messages never quote the request. */

export const MISSING = unauthorized('missing_api_key', `This operation needs an API key. ${HOW}`);

export const REPEATED = unauthorized('invalid_api_key', 'Send one Authorization header, not several.');

export const INVALID = unauthorized('invalid_api_key', 'The API key is not valid.');

/** @param fault of its form, a sentence */
export function malformedKey(fault: string): Problem {
  return unauthorized('invalid_api_key', `The API key is not valid. ${fault}`);
}

export const EXPIRED = unauthorized('api_key_expired', 'The API key has expired. Use another one.');

export const REVOKED = unauthorized('api_key_revoked', 'The API key was revoked. Use another one.');

export const PAUSED = unauthorized('api_key_paused', 'The API key is paused. Resume it, or use another one.');

/** WWW-Authenticate has an error only if a token was sent (RFC 6750, section 3.1). */
export function unauthorized(code: ErrorCode, message: string): Problem {
  const challenge = code === 'missing_api_key' ? REALM : `${REALM}, error="invalid_token"`;
  return problem(code, message, { 'www-authenticate': challenge });
}

/** The 403 of a valid key. WWW-Authenticate has the missing `scopes` (RFC 6750, section 3.1). */
export function insufficientScope(message: string, scopes: readonly string[]): Problem {
  const headers = { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` };
  return problem('insufficient_scope', message, headers);
}

/** The 403 of a valid key that lacks the scope of the operation. @param held the scopes that it has */
export function scopeNeeded(scope: string, held: Iterable<string>): Problem {
  const message = `This key has the scopes ${listed([...held], ', ')}; this operation needs ${scope}.`;
  return insufficientScope(message, [scope]);
}
