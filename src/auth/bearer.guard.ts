import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { requestOf } from '../http/requests/request.js';
import { ACCESS, type Access } from './access.decorators.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { MISSING, readBearerToken, scopeNeeded } from './bearer-token.js';
import type { Authentication, Caller } from './caller.js';

/** Authenticates the bearer token of a request, and checks the scope of the route. Admission calls it before the body is read. */
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

  /** Nest calls it last. It decides nothing again: it only refuses what admission has not admitted to the route. */
  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access === 'public') return true;
    const { caller, admittedTo } = requestOf(context);
    if (access !== undefined && access === admittedTo) return true;
    if (caller === undefined) throw ApiError.of(MISSING);
    throw new ApiError('insufficient_scope', 'This operation declares no access, so it refuses every request.');
  }
}
