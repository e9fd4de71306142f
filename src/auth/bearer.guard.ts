import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiError } from '../errors/index.js';
import { requestOf } from '../http/index.js';
import { requirementOf } from '../openapi/index.js';
import { insufficientScope } from './insufficient-scope.js';
import { challenge, MISSING } from './key-refusal.js';

/**
 * Lets a caller reach the routes that its key's scopes allow. Admission has found out who calls; where it has not,
 * or where a route does not say who may call it, nobody gets through.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const requirement = requirementOf(context.getHandler());
    if (requirement === 'public') return true;
    const { caller } = requestOf(context);
    if (caller === undefined) throw new ApiError(MISSING.code, MISSING.message, { 'www-authenticate': challenge(MISSING) });
    if (requirement !== undefined && caller.scopes.has(requirement.scope)) return true;
    if (requirement === undefined) throw undeclared();
    throw insufficientScope(`This operation needs a key with the scope ${requirement.scope}.`, [requirement.scope]);
  }
}

function undeclared(): ApiError {
  return new ApiError('insufficient_scope', 'This operation does not declare a scope, so no key may call it.');
}
