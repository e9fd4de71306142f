import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { isRepeated } from '../http/requests/message.js';
import { requestOf } from '../http/requests/request.js';
import { ACCESS, type Access } from './access.decorators.js';
import { type Authentication, type Caller, MISSING, REPEATED, scopeNeeded } from './caller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { type BearerRequest, headerFault } from './header-fault.js';

/**
 * Authenticates the bearer token of a request, and checks the scope of the route. Admission calls it before the body is
 * read. As a global guard it decides nothing again: it only refuses requests that were not admitted to the route.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly verifier: KeyVerifier,
    private readonly reflector: Reflector,
  ) {}

  /** The caller of a request, or its 401; otherwise like `verify` of the verifier. */
  authenticate(request: FastifyRequest, hasQuota = false): Authentication | Promise<Authentication> | undefined {
    const token = readBearerToken(request);
    return typeof token === 'string' ? this.verifier.verify(token, hasQuota) : token;
  }

  /** Admits a caller to its route, or returns the 403. No access is declared where there is no route. */
  authorize(request: FastifyRequest, caller: Caller, access: Access | undefined): Problem | undefined {
    request.caller = caller;
    request.principal = caller;
    if (typeof access === 'object' && !caller.scopes.has(access.scope)) return scopeNeeded(access.scope, caller.scopes);
    request.admittedTo = access;
    return undefined;
  }

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access === 'public') return true;
    const { caller, admittedTo } = requestOf(context);
    if (access !== undefined && access === admittedTo) return true;
    if (caller === undefined) throw ApiError.of(MISSING);
    throw new ApiError('insufficient_scope', 'This operation declares no access, so it refuses every request.');
  }
}

/** The scheme in any case, one or more spaces, then a token68 (RFC 9110, section 11.2; RFC 6750, section 2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The bearer token of a request, or its 401. The token need not be a valid key. */
export function readBearerToken(request: BearerRequest): string | Problem {
  const { authorization = '' } = request.headers;
  if (isRepeated(request.raw, 'authorization')) return REPEATED;
  return BEARER.exec(authorization)?.[1] ?? headerFault(request);
}
