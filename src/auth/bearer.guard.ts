import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError, type Problem } from '../errors/index.js';
import { isRepeated, requestOf } from '../http/index.js';
import { ACCESS, type Access } from './access.decorators.js';
import type { Caller, Verdict } from './caller.js';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import {
  type AuthenticationFailure,
  INVALID,
  MALFORMED,
  MISSING,
  REPEATED,
  scopeNeeded,
} from './authentication/refusals.js';

/** A well-formed key that is not cached, and is queried only if the address of the client has quota. */
export class UnverifiedKey {
  constructor(readonly token: string) {}
}

/**
 * Authenticates the bearer token of a request, and checks the scope of the route. Admission calls it before the body is
 * read. As a global guard it refuses requests that were not admitted.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly changes: KeyChangesPoller,
    private readonly reflector: Reflector,
  ) {}

  /**
   * The caller of a request, or its 401; synchronous if the key is cached.
   * @throws (rejects) UnavailableError if the key cannot be queried
   */
  authenticate(request: FastifyRequest): Verdict | UnverifiedKey | Promise<Verdict> {
    const token = readBearerToken(request);
    if (typeof token !== 'string') return token;
    return this.verifier.verify(token) ?? new UnverifiedKey(token);
  }

  /**
   * The caller of a key that is queried because its address has quota: it may be one that another process has just created.
   * Concurrent calls share one poll of the database.
   * @throws (rejects) UnavailableError if the database is unavailable
   */
  async verify({ token }: UnverifiedKey): Promise<Verdict> {
    const verdict = this.verifier.verify(token, true);
    if (verdict !== undefined) return verdict;
    await this.changes.catchUp();
    return this.verifier.verify(token, true) ?? INVALID;
  }

  /** The 403 of a caller without the scope of a route. */
  authorize({ scopes }: Caller, access: Access): Problem | undefined {
    if (access === 'public' || scopes.has(access.scope)) return undefined;
    return scopeNeeded(access.scope);
  }

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access === 'public') return true;
    const { caller } = requestOf(context);
    if (caller === undefined) throw ApiError.of(MISSING);
    if (access === undefined)
      throw new ApiError('insufficient_scope', 'This operation declares no access, so it refuses every request.');
    const refusal = this.authorize(caller, access);
    if (refusal !== undefined) throw ApiError.of(refusal);
    return true;
  }
}

/** The parts of a FastifyRequest that can carry a bearer token. */
interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
  readonly raw: Pick<IncomingMessage, 'rawHeaders'>;
}

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const SCHEME = /^bearer(?:$|[ \t])/i;
const SCHEME_ALONE = /^bearer[ \t]*$/i;

/** The bearer token of a request, or its 401. The token need not be a valid key. */
export function readBearerToken(request: BearerRequest): string | AuthenticationFailure {
  const header = request.headers.authorization;
  if (header === undefined) return MISSING;
  if (isRepeated(request.raw, 'authorization')) return REPEATED;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  // A request with another scheme, or without a token after this one, counts as one without a key.
  return SCHEME.test(header) && !SCHEME_ALONE.test(header) ? MALFORMED : MISSING;
}
