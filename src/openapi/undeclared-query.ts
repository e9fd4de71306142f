import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';
import { unknownName, ValidationFailedError } from '../errors/index.js';
import { API_PREFIX } from '../http/index.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by `@Operation()` if the handler has a parameter with `@Query()`, which may not be in the document. */
    takesQuery?: true;
  }
}

/**
 * Makes routes that are added from now on refuse all query parameters if their operation documents none. Otherwise the DTO
 * refuses undocumented ones.
 */
export function refuseUndeclaredQueries(server: FastifyInstance, document: OpenAPIObject): void {
  const operations = new Map(operationsByRoute(document));
  server.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    // Fastify adds a HEAD route to each GET route.
    const operation = operations.get(`${method === 'HEAD' ? 'GET' : method} ${route.url}`);
    if (operation === undefined || route.config?.takesQuery === true || hasQuery(operation, document)) return;
    const refuse = operation.deprecated === true ? leaveToInterceptor : refuseQuery;
    route.preValidation = [refuse, ...[route.preValidation ?? []].flat()];
  });
}

/** By method and URL of the route, such as `GET /v1/pets/:petId`. */
function operationsByRoute({ paths }: OpenAPIObject): [string, OperationObject][] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const url = API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ':$1');
    const operations = Object.entries(item as Record<string, OperationObject>);
    return operations.map(([method, operation]): [string, OperationObject] => [
      `${method.toUpperCase()} ${url}`,
      operation,
    ]);
  });
}

function hasQuery({ parameters = [] }: OperationObject, { components }: OpenAPIObject): boolean {
  return parameters.some((parameter) => {
    const own = '$ref' in parameter ? components?.parameters?.[parameter.$ref.split('/').at(-1) ?? ''] : parameter;
    return own !== undefined && 'in' in own && own.in === 'query';
  });
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
