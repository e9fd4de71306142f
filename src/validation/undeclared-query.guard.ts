import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../http/index.js';
import { parseQuery } from './parse-query.js';
import { takesQuery } from './request.decorators.js';

/** Refuses query parameters where an operation has none, as StrictQuery refuses those that an operation does not know. */
@Injectable()
export class UndeclaredQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { url, caller, query } = requestOf(context);
    if (caller !== undefined && url.includes('?') && !takesQuery(context.getHandler())) parseQuery(Object, query);
    return true;
  }
}
