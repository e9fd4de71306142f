import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import type { FastifyReply } from 'fastify';
import { addLink, publicPath } from '../http/addresses.js';
import { ApiError } from '../http/errors/api-error.js';
import { isCanonicalInt64 } from '../http/json/int64.js';
import { AddRouteConfig } from '../http/requests/handler-metadata.js';
import { replyOf, requestOf } from '../http/requests/request.js';
import { refuseUndeclaredQuery } from '../http/validation/undeclared-query.guard.js';
import { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';

const DEPRECATION = 'petstore:deprecation';

/** The deprecation of an operation. */
export interface Deprecation {
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation has been deprecated. */
  readonly since: string;
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation is gone. */
  readonly sunset: string;
  /**
   * Path of the successor, such as `/v1/pets`. Links put it below the path of BASE_URL. In the query, `{name}` stands for an
   * identifier in the path of the request: `/v1/pets?ids={petId}`.
   */
  readonly successor: string;
  /** How to migrate to the successor, for people. */
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
  const placeholders = [...successor.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return { ...deprecation, headers, placeholders };
}

/** Adds the headers to a response, with links of RFC 5829 and RFC 9745, section 3. */
export function announce(deprecation: DeclaredDeprecation, env: Env, reply: FastifyReply): void {
  reply.headers(deprecation.headers);
  const target = publicPath(env, successorOf(deprecation, reply.request.params as Record<string, string>));
  const page = publicPath(env, deprecation.documentation);
  addLink(reply, `<${target}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html"`);
}

/** Leaves out the query if what the client sent is no identifier: it may be an API key. */
function successorOf(deprecation: DeclaredDeprecation, params: Readonly<Record<string, string>>): string {
  const { successor, placeholders } = deprecation;
  const idOf = (name: string) => params[name] ?? '';
  if (!placeholders.every((name) => isCanonicalInt64(idOf(name)))) return successor.replace(/\?.*/, '');
  return placeholders.reduce((path, name) => path.replace(`{${name}}`, idOf(name)), successor);
}

export function operationRemoved({ sunset, advice }: Deprecation): ApiError {
  return new ApiError('operation_removed', `This operation was removed on ${sunset}. ${advice}`);
}

export function deprecationOf(handler: Function): DeclaredDeprecation | undefined {
  return Reflect.getMetadata(DEPRECATION, handler) as DeclaredDeprecation | undefined;
}

/** When an operation with this removal date (`YYYY-MM-DD`, UTC) ends, in Unix time in milliseconds; never if a setting keeps it. */
export function removalMs(sunset: string, env: Env): number {
  return env.SERVE_AFTER_SUNSET ? Infinity : Date.parse(sunset);
}

/**
 * Sets the deprecation headers on every response of an operation after its guards, errors included, and refuses requests
 * from the removal date on. `@Deprecated()` binds it to its operation, because a global interceptor would cost every
 * operation a third of its throughput.
 * @throws ApiError `operation_removed`
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

/**
 * Declares an operation deprecated. Every response after admission carries Deprecation, Sunset and Link, and the OpenAPI
 * document marks the operation. From the sunset on the response is 410 `operation_removed`.
 */
export function Deprecated(deprecation: Deprecation): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATION, declareDeprecation(deprecation)),
    UseInterceptors(DeprecationInterceptor),
    AddRouteConfig({ isDeprecated: true }),
    ApiExtension('x-sunset', deprecation.sunset),
    ApiExtension('x-deprecation-advice', deprecation.advice),
  );
}
