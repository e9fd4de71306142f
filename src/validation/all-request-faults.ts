import { type FindRequestFaults, ValidationFailedError } from '../errors/index.js';
import { parameterTypes } from '../http/index.js';
import { idempotentRequest } from '../idempotency/index.js';
import { partsOf } from '../openapi/index.js';
import { RequestValidationPipe } from './request-validation.pipe.js';

const pipe = new RequestValidationPipe();

/** Finds the faults of query, headers and body, in this order, by validating them again. */
export const allRequestFaults: FindRequestFaults = (request, error) => {
  const { controller, method } = request.routeOptions.config.handler ?? {};
  if (controller === undefined || method === undefined) return error.faults;
  const validate = (place: 'query' | 'body') =>
    parameterTypes(controller.constructor, method, place).flatMap((metatype) =>
      faultsOf(() => pipe.check(request[place], { type: place, metatype })),
    );
  const key = request.headers['idempotency-key'];
  const handler: unknown = Reflect.get(controller, method);
  const parts = typeof handler === 'function' ? partsOf(handler) : [];
  const found = [
    ...validate('query'),
    ...parts.flatMap(({ check }) => faultsOf(() => check?.(request))),
    ...(request.method === 'POST' && key !== undefined ? faultsOf(() => idempotentRequest(request, key)) : []),
    // Not twice: a body can have thousands of faults.
    ...(error.isOfBody ? error.faults : validate('body')),
  ];
  return [...error.faults.filter((fault) => !found.includes(fault)), ...found];
};

function faultsOf(validate: () => unknown): readonly string[] {
  try {
    validate();
    return [];
  } catch (error) {
    return error instanceof ValidationFailedError ? error.faults : [];
  }
}
