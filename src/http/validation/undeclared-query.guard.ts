import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { validationFailed } from '../errors/api-error.js';
import { unknownName } from '../errors/client-names.js';
import { requestOf } from '../requests/request.js';

/** Refuses query parameters of an operation without `@Query()`. Put it after the guards of admission and of `@Throttle()`. */
@Injectable()
export class UndeclaredQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    if (context.getType() === 'http') refuseUndeclaredQuery(requestOf(context));
    return true;
  }
}

/** @param isAnnounced whether the response has the headers of a deprecated operation @throws ApiError `validation_failed` */
export function refuseUndeclaredQuery(request: FastifyRequest, isAnnounced = false): void {
  const names = Object.keys(request.query as object);
  if (names.length === 0) return;
  const { takesNoQuery, isDeprecated = false } = request.routeOptions.config;
  if (takesNoQuery === true && isAnnounced === isDeprecated)
    throw validationFailed(names.map((name, index) => unknownName('query parameter', name, [], index === 0)));
}
