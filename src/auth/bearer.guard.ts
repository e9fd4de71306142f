import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { isRepeated, requestOf } from '../http/index.js';
import { ACCESS, type Access } from './access.decorators.js';
import type { Caller } from './caller.js';
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

/** A well-formed key that this process does not know of: made up, or made by another one a moment ago. */
export class UnverifiedKey {
  constructor(readonly token: string) {}
}

/**
 * Authenticates the bearer token of a request, and lets a caller reach the routes that its key's scopes allow. Admission asks
 * it before the body is read; as a global guard it refuses whatever came another way.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly changes: KeyChangesPoller,
    private readonly reflector: Reflector,
  ) {}

  /**
   * Who makes the request, or why it counts as made without a valid key; at once where the key is known.
   * @throws (rejects) ApiError service_unavailable when the key can't be looked up
   */
  authenticate(
    request: FastifyRequest,
  ): Caller | AuthenticationFailure | UnverifiedKey | Promise<Caller | AuthenticationFailure> {
    const token = readBearerToken(request);
    if (typeof token !== 'string') return token;
    return this.verifier.recall(token) ?? new UnverifiedKey(token);
  }

  /**
   * Who holds a key, if another process has made it meanwhile; one look at the database serves all who wait for it.
   * @throws (rejects) ApiError service_unavailable when the database can't be asked
   */
  async verify({ token }: UnverifiedKey): Promise<Caller | AuthenticationFailure> {
    await this.changes.catchUp();
    return this.verifier.recall(token) ?? INVALID;
  }

  /** What keeps a caller from a route, if anything does. */
  authorize({ scopes }: Caller, access: Access): ApiError | undefined {
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
    if (refusal !== undefined) throw refusal;
    return true;
  }
}

/** The parts of a FastifyRequest that can carry a bearer token. */
export interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
  readonly raw: { readonly rawHeaders: readonly string[] };
}

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const SCHEME = /^bearer(?:$|[ \t])/i;
const SCHEME_ALONE = /^bearer[ \t]*$/i;

/** The bearer token that a request carries, or why it carries none. Does not say whether the token is a valid key. */
export function readBearerToken(request: BearerRequest): string | AuthenticationFailure {
  const header = request.headers.authorization;
  if (header === undefined) return MISSING;
  if (isRepeated(request.raw.rawHeaders, 'authorization')) return REPEATED;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return token;
  // Another scheme, or no token after this one, is a request without a token rather than with a bad one.
  return SCHEME.test(header) && !SCHEME_ALONE.test(header) ? MALFORMED : MISSING;
}
