import { ApiError } from './api-error.js';

/** Maximum number of faults in one message. */
const MAX_FAULTS = 5;

/** @param faults what is wrong with the request, each without its full stop; repeated ones are named once */
export function validationFailed(faults: readonly string[]): ApiError {
  return new ApiError('validation_failed', `${[...new Set(faults)].slice(0, MAX_FAULTS).join('; ')}.`);
}
