import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { announceDeprecation } from '../lifecycle/index.js';
import { requirementOf } from '../openapi/index.js';
import { challenge, MISSING, scopeChallenge } from './key-refusal.js';

/**
 * Lets a caller reach the routes that its key's scopes allow. Admission has found out who calls; where it has not,
 * or where a route does not say who may call it, nobody gets through.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const requirement = requirementOf(context.getHandler());
    if (requirement === 'public') return true;
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (caller === undefined) throw new ApiError(MISSING.code, MISSING.message, { 'WWW-Authenticate': challenge(MISSING) });
    if (requirement !== undefined && caller.scopes.has(requirement.scope)) return true;
    // Guards run before interceptors, and a refusal is an answer of the operation too.
    announceDeprecation(context);
    throw requirement === undefined ? undeclared() : insufficient(requirement.scope);
  }
}

function insufficient(scope: string): ApiError {
  return new ApiError('insufficient_scope', `This operation needs a key with the scope ${scope}.`, {
    'WWW-Authenticate': scopeChallenge(scope),
  });
}

function undeclared(): ApiError {
  return new ApiError('insufficient_scope', 'This operation does not declare a scope, so no key may call it.');
}
