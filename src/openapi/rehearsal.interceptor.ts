import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { ParameterObject } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { type Caller, scopeNeeded } from '../auth/caller.js';
import { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';
import { ApiError, type Problem } from '../http/errors/problem.js';
import { replyOf, requestOf } from '../http/requests/request.js';
import { announce, deprecationOf, EARLY_STATUSES, operationRemoved } from '../lifecycle/deprecation.interceptor.js';
import { tooManyRequests } from '../rate-limit/rate-limit-headers.js';
import { refuse } from '../rate-limit/windows/decision.js';
import { errorsOf, operationOf } from './operation.decorator.js';

/** The header in the OpenAPI document of a staging service. */
export const PREFER_PARAMETER: ParameterObject = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'Makes the request return an error without any other effect (RFC 7240): `code=` and a status or an error code ' +
    'of this operation, or 410 if it is deprecated. The response has `Preference-Applied`.',
  schema: { type: 'string', pattern: '^code=[a-z0-9_]+$', maxLength: 100, example: 'code=429' },
};

/** The preference `code` in Prefer (RFC 7240, section 2): a token or a quoted string. The first one counts. */
const CODE = /(?:^|,)[ \t]*code[ \t]*=[ \t]*(?:"(\w+)"|(\w+))[ \t]*(?=[;,]|$)/i;

/**
 * Returns the error in `Prefer: code=...` (RFC 7240), a status or an error code, if the operation documents it. The handler
 * does not run. Any other preference is ignored, as the RFC requires.
 */
@Injectable()
export class RehearsalInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers, caller } = requestOf(context);
    const [, quoted, token] = CODE.exec([headers['prefer'] ?? ''].flat().join(',')) ?? [];
    const code = quoted ?? token;
    const error = code === undefined ? undefined : this.find(code, context.getHandler(), caller);
    if (error === undefined) return next.handle();
    const reply = replyOf(context).header('preference-applied', `code=${code}`);
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation !== undefined && !EARLY_STATUSES.has(error.status)) announce(deprecation, this.env, reply);
    throw ApiError.of(error, true);
  }

  private find(code: string, handler: Function, caller: Caller | undefined): Problem | undefined {
    const deprecation = deprecationOf(handler);
    const removed = deprecation === undefined ? [] : [operationRemoved(deprecation).problem];
    const documented = [...removed, ...errorsOf(handler)];
    const found = documented.find((error) => error.code === code || String(error.status) === code);
    return found && caller && this.asSent(found, handler, caller);
  }

  /** The error as this caller would get it. Its wait is that of the rehearsal. */
  private asSent(error: Problem, handler: Function, { limits, scopes }: Caller): Problem {
    const operation = operationOf(handler);
    if (typeof operation?.scope === 'string' && error.code === 'insufficient_scope')
      return scopeNeeded(operation.scope, scopes);
    if (error.status !== 429) return error;
    const nowSeconds = this.clock.nowSeconds();
    const window = { limit: limits.perMinute, windowSeconds: 60, resetSeconds: nowSeconds + 1 };
    const outcome = error.code === 'api_key_banned' ? 'banned' : 'limited';
    const scope = operation?.quota === 'none' ? ' for operations that use no quota' : '';
    return tooManyRequests(refuse(outcome, window, nowSeconds), scope);
  }
}
