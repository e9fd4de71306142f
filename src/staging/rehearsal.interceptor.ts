import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { type Caller, scopeNeeded } from '../auth/index.js';
import { Clock, Env } from '../config/index.js';
import { type Problem, RehearsedError } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import { announce, announcement, deprecationOf, operationRemoved } from '../lifecycle/index.js';
import { errorsOf, operationOf } from '../openapi/index.js';
import { refuse, tooManyRequests } from '../rate-limit/index.js';

/** Guards respond with these, before the deprecation of an operation is announced. */
const GUARD_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

const MINUTE_SECONDS = 60;

/** The preference `code` in Prefer (RFC 7240, section 2): a token or a quoted string, of several the first. */
const CODE = /(?:^|,)[ \t]*code[ \t]*=[ \t]*(?:"(\w+)"|(\w+))[ \t]*(?=[;,]|$)/i;

/**
 * Has an admitted request end in an error that its operation documents, where `Prefer: code=...` (RFC 7240) asks for one by
 * its status or its code. Nothing is done. A preference that cannot be met is ignored, as the RFC demands.
 */
@Injectable()
export class RehearsalInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers, method, caller } = requestOf(context);
    const code = preferredCode(headers['prefer']);
    const error = code === undefined ? undefined : this.find(code, context.getHandler(), method, caller);
    if (error === undefined) return next.handle();
    const reply = replyOf(context);
    reply.header('preference-applied', `code=${code}`);
    this.announceDeprecation(context.getHandler(), error, reply);
    throw new RehearsedError(error);
  }

  private find(code: string, handler: Function, method: string, caller: Caller | undefined): Problem | undefined {
    const deprecation = deprecationOf(handler);
    const removed = deprecation === undefined ? [] : [operationRemoved(deprecation)];
    const documented = [...removed, ...errorsOf(handler, method)];
    const found = documented.find((error) => error.code === code || String(error.status) === code);
    return found && caller && this.asSent(found, handler, caller);
  }

  /** The error as this caller would get it; what it says of a wait is true of the rehearsal. */
  private asSent(error: Problem, handler: Function, { limits }: Caller): Problem {
    const operation = operationOf(handler);
    if (operation !== undefined && error.code === 'insufficient_scope') return scopeNeeded(operation.scope);
    if (error.status !== 429) return error;
    const nowSeconds = this.clock.nowSeconds();
    const window = {
      limit: limits.perMinute,
      windowSeconds: MINUTE_SECONDS,
      remaining: 0,
      resetSeconds: nowSeconds + 1,
    };
    const outcome = error.code === 'api_key_banned' ? 'banned' : 'limited';
    const scope = operation?.quota === 'none' ? ' for operations that use no quota' : '';
    return tooManyRequests(refuse(outcome, window, nowSeconds), scope);
  }

  private announceDeprecation(handler: Function, { status }: Problem, reply: FastifyReply): void {
    const deprecation = deprecationOf(handler);
    if (deprecation !== undefined && !GUARD_STATUSES.has(status)) announce(announcement(deprecation, this.env), reply);
  }
}

/** The error that a client asks for: a status or a code of an Error. */
function preferredCode(header: string | readonly string[] | undefined): string | undefined {
  const [, quoted, token] = CODE.exec([header ?? ''].flat().join(',')) ?? [];
  return quoted ?? token;
}
