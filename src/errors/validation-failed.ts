import type { FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';

/** Maximum number of faults in one message. */
const MAX_FAULTS = 5;

/** A request that is not as its operation documents it. */
export class ValidationFailedError extends ApiError {
  /**
   * @param faults what is wrong with the request, each without its full stop; repeated ones are named once
   * @param isOfBody whether they are faults of the body
   */
  constructor(
    readonly faults: readonly string[],
    readonly isOfBody = false,
  ) {
    super('validation_failed', `${[...new Set(faults)].slice(0, MAX_FAULTS).join('; ')}.`);
  }
}

/**
 * Finds everything that is wrong with a refused request, the faults of `error` included. Query, headers and body are
 * validated apart, and the first fault ends the request; to look for the rest afterwards costs valid requests nothing.
 */
export type FindRequestFaults = (request: FastifyRequest, error: ValidationFailedError) => readonly string[];
