import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { unknownName, validationFailed, parameterCount, requestOf, takesQuery } from '../http/index.js';

/** A parameter of a handler that refuses every query parameter. */
const NoQuery = createParamDecorator((_: unknown, context: ExecutionContext): undefined => {
  const names = Object.keys(requestOf(context).query as object);
  if (names.length === 0) return undefined;
  throw validationFailed(names.map((name) => unknownName('query parameter', name, [])));
});

/**
 * Adds `@NoQuery()` after the last parameter of an operation without `@Query()`, so that it refuses unknown query parameters
 * where others do: when Nest reads the parameters, after the interceptors.
 */
export function refuseUndeclaredQuery(controller: object, method: string | symbol): void {
  const type = controller.constructor;
  if (!takesQuery(type, method)) NoQuery()(controller, method, parameterCount(type, method));
}
