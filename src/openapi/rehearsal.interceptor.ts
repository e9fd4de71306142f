import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { ParameterObject } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { scopeNeeded } from '../auth/unauthorized.js';
import type { Caller } from '../auth/caller.js';
import { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { isIdempotent } from '../http/idempotency/idempotent.decorator.js';
import { replyOf, requestOf } from '../http/requests/request.js';
import { announce, deprecationOf, EARLY_STATUSES, operationRemoved } from '../lifecycle/deprecation.interceptor.js';
import { refuse } from '../rate-limit/windows/decision.js';
import { tooManyRequests } from '../rate-limit/rate-limit-headers.js';
import { errorsOfRoute } from './documented-errors.js';
import { operationOf } from './operation.decorator.js';

/** The header in the OpenAPI document of a staging service. */
export const PREFER_PARAMETER: ParameterObject = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'Makes the request return an error without any other effect (RFC 7240): `code=` with a status or an error code ' +
    'of this operation, or 410 if it is deprecated. The response has `Preference-Applied`.',
  schema: { type: 'string', pattern: '^code=[a-z0-9_]+$', maxLength: 100, example: 'code=429' },
};

/** RFC 7240, section 2: a token or a quoted string. The first one counts, and any other preference is ignored. */
const CODE = /(?:^|,)[ \t]*code[ \t]*=[ \t]*(?:"(\w+)"|(\w+))[ \t]*(?=[;,]|$)/i;

/** Instead of the handler, returns the error in `Prefer: code=...`, a status or an error code, if the operation documents it. */
@Injectable()
export class RehearsalInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers, caller, method } = requestOf(context);
    const [, quoted, token] = CODE.exec([headers['prefer'] ?? ''].flat().join(',')) ?? [];
    const code = quoted ?? token;
    const error = code === undefined ? undefined : this.find(code, context.getHandler(), method, caller);
    if (error === undefined) return next.handle();
    const reply = replyOf(context).header('preference-applied', `code=${code}`);
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation !== undefined && !EARLY_STATUSES.has(error.status)) announce(deprecation, this.env, reply);
    throw ApiError.of(error, true);
  }

  /** The error as this caller would get it. Its wait is that of the rehearsal. */
  private find(code: string, handler: Function, method: string, caller?: Caller): Problem | undefined {
    const operation = operationOf(handler);
    const deprecation = deprecationOf(handler);
    const documented = [
      ...(deprecation === undefined ? [] : [operationRemoved(deprecation).problem]),
      ...(operation === undefined ? [] : errorsOfRoute(method, operation.errors, isIdempotent(handler))),
    ];
    const error = documented.find((one) => one.code === code || String(one.status) === code);
    if (error === undefined || caller === undefined) return undefined;
    const scope = operation?.scope;
    if (typeof scope === 'string' && error.code === 'insufficient_scope')
      return scopeNeeded(
        scope,
        [...caller.scopes].filter((held) => held !== scope),
      );
    if (error.status !== 429) return error;
    const nowSeconds = this.clock.nowSeconds();
    const window = { limit: caller.limits.perMinute, windowSeconds: 60, resetSeconds: nowSeconds + 1 };
    const refusal = refuse(error.code === 'api_key_banned' ? 'banned' : 'limited', window, nowSeconds);
    return tooManyRequests(refusal, operation?.quota === 'none' ? ' for operations that use no quota' : '');
  }
}
