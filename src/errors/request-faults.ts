import type { FastifyRequest } from 'fastify';
import type { ValidationFailedError } from './validation-failed.js';

/**
 * Finds everything that is wrong with a request. Query, headers and body are validated apart, and the first fault ends the
 * request; so the rest is looked for when a request is refused, which costs valid ones nothing.
 */
export abstract class RequestFaults {
  /** The faults of a refused request, those of `error` included. */
  abstract find(request: FastifyRequest, error: ValidationFailedError): readonly string[];
}
