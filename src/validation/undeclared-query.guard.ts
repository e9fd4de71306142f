import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, Env } from '../config/index.js';
import { announceDeprecation, deprecationOf, isRemoved } from '../lifecycle/index.js';
import { parseQuery } from './parse-query.js';
import { takesQuery } from './request.decorators.js';

/** Refuses query parameters where an operation has none, as StrictQuery refuses those that an operation does not know. */
@Injectable()
export class UndeclaredQueryGuard implements CanActivate {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { url, caller, query } = context.switchToHttp().getRequest<FastifyRequest>();
    const handler = context.getHandler();
    if (caller === undefined || !url.includes('?') || takesQuery(handler)) return true;
    const deprecation = deprecationOf(handler);
    // Whatever the request, a removed operation says that it is gone; its interceptor does.
    if (deprecation !== undefined && isRemoved(deprecation.sunset, this.clock, this.env)) return true;
    announceDeprecation(context);
    parseQuery(Object, query);
    return true;
  }
}
