import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { isRepeated, requestOf } from '../http/requests/request.js';
import { ACCESS, type Access } from './access.decorators.js';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { malformed, MISSING, missing, scopeNeeded, unauthorized } from './unauthorized.js';
import type { Authentication, Caller } from './caller.js';

/** Authenticates the bearer token of a request, and checks the scope of the route. Admission calls it before the body is read. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly changes: KeyChangesPoller,
    private readonly reflector: Reflector,
  ) {}

  /** The caller of a request, or its 401; otherwise like `verify` of the verifier. */
  authenticate(
    request: FastifyRequest,
    hasQuota = false,
  ): Authentication | undefined | Promise<Authentication | undefined> {
    const token = readBearerToken(request);
    if (typeof token !== 'string') return token;
    const catchingUp = this.changes.catchUp();
    const verify = () => this.verifier.verify(token, hasQuota);
    return catchingUp === undefined ? verify() : catchingUp.then(verify);
  }

  /** Whether no other instance has changed a key since the last call of `authenticate`, as far as the counters have told. */
  get isCurrent(): boolean {
    return this.changes.isCurrent;
  }

  /** Admits a caller to its route, or returns the 403. No access is declared where there is no route. */
  authorize(request: FastifyRequest, caller: Caller, access: Access | undefined): Problem | undefined {
    request.caller = caller;
    request.principal = caller;
    if (typeof access === 'object' && !caller.scopes.has(access.scope)) return scopeNeeded(access.scope, caller.scopes);
    request.admittedTo = access;
    return undefined;
  }

  /** Nest calls it after admission. It decides nothing again: it only refuses what admission has not admitted to the route. */
  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access === 'public') return true;
    const { caller, admittedTo } = requestOf(context);
    if (access !== undefined && access === admittedTo) return true;
    if (caller === undefined) throw ApiError.of(MISSING);
    throw new ApiError('insufficient_scope', 'This operation declares no access, so it refuses every request.');
  }
}

export function isCaller(authentication: Authentication): authentication is Caller {
  return 'keyId' in authentication;
}

/** The caller of a valid key, although its account may be suspended. */
export function callerIn(authentication: Authentication): Caller | undefined {
  if (isCaller(authentication)) return authentication;
  return 'caller' in authentication ? authentication.caller : undefined;
}

const REPEATED = unauthorized('invalid_api_key', 'Send one Authorization header, not several.');
const IN_HEADER = missing('The service does not read X-API-Key.');
const IN_QUERY = missing('The service reads no key in the query, where logs would show it.');

/** What can be wrong with an Authorization header, usual mistakes first. A header without Bearer and a key has no key. */
const MISTAKES: readonly (readonly [RegExp, Problem])[] = [
  [/^psk_/i, missing('The word Bearer is missing before the key.')],
  [/^basic /i, missing('The Authorization header has the scheme Basic, not Bearer.')],
  [/^bearer[ \t]*$/i, missing('The key after Bearer is missing; a variable may be empty.')],
  [/^(?!bearer[ \t])/i, missing('The Authorization header does not begin with Bearer and a space.')],
  [/^bearer\s+bearer\s/i, malformed('The word Bearer appears twice.')],
  [/^bearer\s+["'`]/i, malformed('The key is in quotes.')],
  [/^bearer\s+[<{[$%]/i, malformed('The key is a placeholder or a variable without its value.')],
  [/^/, malformed('The key in the Authorization header contains invalid characters.')],
];

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

interface BearerRequest extends Pick<FastifyRequest, 'url'> {
  readonly headers: IncomingMessage['headers'];
  readonly raw: Pick<IncomingMessage, 'rawHeaders'>;
}

/** The bearer token of a request, or its 401. The token need not be a valid key. */
export function readBearerToken({ headers, raw, url }: BearerRequest): string | Problem {
  const { authorization } = headers;
  if (isRepeated(raw, 'authorization')) return REPEATED;
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token ?? MISTAKES.find(([mistake]) => mistake.test(authorization))?.[1] ?? MISSING;
  }
  if (headers['x-api-key'] !== undefined) return IN_HEADER;
  return /[?&](?:api_?key|access_token|token|key)=/i.test(url) ? IN_QUERY : MISSING;
}
