import { applyDecorators, Injectable, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { addLink, publicPath } from '../http/addresses.js';
import { ApiError } from '../http/errors/api-error.js';
import { isCanonicalInt64 } from '../platform/int64.js';
import { AddRouteConfig } from '../http/requests/handler-metadata.js';
import { replyOf, requestOf } from '../http/requests/request.js';
import { refuseUndeclaredQuery } from '../http/validation/undeclared-query.guard.js';
import { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';

const DEPRECATION = 'petstore:deprecation';

/** Dates are `YYYY-MM-DD`, and mean the start of that day in UTC. */
export interface Deprecation {
  /** From which the operation has been deprecated. */
  readonly since: string;
  /** From which the operation is gone. */
  readonly sunset: string;
  /**
   * Path of the successor, such as `/v1/pets`. Links put it below the path of BASE_URL. In the query, `{name}` stands for an
   * identifier in the path of the request: `/v1/pets?ids={petId}`.
   */
  readonly successor: string;
  /** How to migrate, for people. */
  readonly advice: string;
  /** Path, or absolute URL, of the page about this deprecation. */
  readonly documentation: string;
}

/** Statuses of the HTTP parser and of guards, which respond before a deprecation is announced. */
export const EARLY_STATUSES: ReadonlySet<number> = new Set([431, 401, 403, 429]);

type DeclaredDeprecation = ReturnType<typeof declareDeprecation>;

/** Adds the headers of RFC 9745 and RFC 8594, so that no request formats dates or parses the successor. */
export function declareDeprecation(deprecation: Deprecation) {
  const { since, sunset, successor } = deprecation;
  const headers = { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(sunset).toUTCString() };
  const placeholders = Array.from(successor.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return { ...deprecation, headers, placeholders };
}

/** Adds the headers to a response, with links of RFC 5829 and RFC 9745, section 3. */
export function announce(deprecation: DeclaredDeprecation, env: Env, reply: FastifyReply): void {
  reply.headers(deprecation.headers);
  const { successor, placeholders } = deprecation;
  const params = reply.request.params as Readonly<Record<string, string>>;
  const fill = (path: string, name: string) => path.replace(`{${name}}`, params[name] ?? '');
  // Without the query if what the client sent is no identifier: it may be an API key.
  const areIds = placeholders.every((name) => isCanonicalInt64(params[name] ?? ''));
  const target = publicPath(env, areIds ? placeholders.reduce(fill, successor) : successor.replace(/\?.*/, ''));
  const page = publicPath(env, deprecation.documentation);
  addLink(reply, `<${target}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html"`);
}

export function operationRemoved({ sunset, advice }: Deprecation): ApiError {
  return new ApiError('operation_removed', `This operation was removed on ${sunset}. ${advice}`);
}

export function deprecationOf(handler: Function): DeclaredDeprecation | undefined {
  return Reflect.getMetadata(DEPRECATION, handler) as DeclaredDeprecation | undefined;
}

/** In Unix time in milliseconds; infinite if a setting keeps operations. */
export function removalMs(sunset: string, env: Env): number {
  return env.SERVE_AFTER_SUNSET ? Infinity : Date.parse(sunset);
}

/**
 * Announces the deprecation on every response after the guards, errors included, and refuses requests from the removal date
 * on. A global interceptor would cost every operation a third of its throughput.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation === undefined) return next.handle();
    announce(deprecation, this.env, replyOf(context));
    if (this.clock.nowMs() >= removalMs(deprecation.sunset, this.env)) throw operationRemoved(deprecation);
    refuseUndeclaredQuery(requestOf(context), true);
    return next.handle();
  }
}

/** Announces the end of an operation in its responses and in the OpenAPI document. From the sunset on, it is 410. */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, declareDeprecation(deprecation)),
    UseInterceptors(DeprecationInterceptor),
    AddRouteConfig({ isDeprecated: true }),
    ApiExtension('x-sunset', deprecation.sunset),
    ApiExtension('x-deprecation-advice', deprecation.advice),
  );
}
