import type { ParameterObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';
import { unknownName, ValidationFailedError } from '../errors/index.js';
import { isVersioned, takesQuery } from '../http/index.js';
import { deprecationOf } from '../lifecycle/index.js';

/** Keys of metadata that `@nestjs/swagger` sets and does not export. */
const PARAMETERS = 'swagger/apiParameters';
const EXCLUDE_CONTROLLER = 'swagger/apiExcludeController';
const EXCLUDE_ENDPOINT = 'swagger/apiExcludeEndpoint';

/** Whether a handler is excluded from the OpenAPI document. */
export function isUndocumented(controller: Function, handler: Function): boolean {
  const ofHandler = Reflect.getMetadata(EXCLUDE_ENDPOINT, handler) as { readonly disable: boolean } | undefined;
  const ofController = Reflect.getMetadata(EXCLUDE_CONTROLLER, controller) as readonly [boolean] | undefined;
  return ofHandler?.disable === true || ofController?.[0] === true;
}

/**
 * Makes routes that are added from now on refuse all query parameters if their operation documents none. Otherwise the DTO
 * refuses undocumented ones.
 */
export function refuseUndeclaredQueries(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const { controller, method } = route.config?.handler ?? {};
    if (controller === undefined || method === undefined || !isVersioned(route.url)) return;
    const handler = Reflect.get(controller, method) as Function;
    const type = controller.constructor;
    if (isUndocumented(type, handler) || takesQuery(type, method) || documentsQuery(handler)) return;
    const refuse = deprecationOf(handler) === undefined ? refuseQuery : leaveToInterceptor;
    route.preValidation = [refuse, ...[route.preValidation ?? []].flat()];
  });
}

function documentsQuery(handler: Function): boolean {
  const documented = (Reflect.getMetadata(PARAMETERS, handler) ?? []) as readonly ParameterObject[];
  return documented.some((parameter) => parameter.in === 'query');
}

function faultOf({ query }: FastifyRequest): ValidationFailedError | undefined {
  const names = Object.keys(query as object);
  if (names.length === 0) return undefined;
  return new ValidationFailedError(names.map((name) => unknownName('query parameter', name)));
}

const refuseQuery: preValidationHookHandler = (request, _reply, done) => {
  done(faultOf(request));
};

/** Leaves the refusal to the interceptor of a deprecated operation, which sets the deprecation headers. */
const leaveToInterceptor: preValidationHookHandler = (request, _reply, done) => {
  request.queryFault = faultOf(request);
  done();
};
