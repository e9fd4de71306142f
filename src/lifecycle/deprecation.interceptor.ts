import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { Clock, Env } from '../config/index.js';
import type { ApiError } from '../errors/index.js';
import { replyOf, requestOf } from '../http/index.js';
import {
  announce,
  type Announcement,
  announcement,
  type Deprecation,
  DEPRECATION,
  operationRemoved,
} from './deprecation.js';
import { removalMs } from './removal.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The error of an invalid query of a deprecated operation. */
    queryFault?: ApiError | undefined;
  }
}

/**
 * Announces the deprecation of an operation on every response that its guards let through, errors included, and refuses the
 * request from the removal date on. `@Deprecated()` binds it to its operation: as a global interceptor it would cost every
 * operation a third of its throughput.
 * @throws ApiError `operation_removed`
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  private readonly announcements = new Map<Deprecation, Announcement>();

  constructor(
    private readonly reflector: Reflector,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const deprecation = this.reflector.get<Deprecation>(DEPRECATION, context.getHandler());
    this.announce(deprecation, replyOf(context));
    if (this.clock.nowMs() >= removalMs(deprecation.sunset, this.env)) throw operationRemoved(deprecation);
    const { queryFault } = requestOf(context);
    if (queryFault !== undefined) throw queryFault;
    return next.handle();
  }

  private announce(deprecation: Deprecation, reply: FastifyReply): void {
    let announced = this.announcements.get(deprecation);
    if (announced === undefined) this.announcements.set(deprecation, (announced = announcement(deprecation, this.env)));
    announce(announced, reply);
  }
}
