import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.js';
import { requestOf } from '../http/index.js';
import { ACCESS, type Access } from './access.decorators.js';
import { readBearerToken } from './authentication/bearer-token.js';
import type { Caller } from './caller.js';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { type AuthenticationFailure, INVALID, MISSING, scopeNeeded } from './authentication/refusals.js';

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
