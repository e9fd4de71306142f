import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Clock, Env } from '../config/index.js';
import { ApiError } from '../errors/index.js';
import { announceDeprecation, deprecationOf } from './deprecation.js';
import { isRemoved } from './removal.js';

/** Announces an operation's deprecation on its answers, and refuses it from the removal date on. */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    announceDeprecation(context);
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation !== undefined && isRemoved(deprecation.sunset, this.clock, this.env)) {
      throw new ApiError('operation_removed', `This operation was removed on ${deprecation.sunset}. ${deprecation.advice}`);
    }
    return next.handle();
  }
}
