import { QueryFailedError } from 'typeorm';
import { ApiError } from '../errors/index.js';

/** Seconds after which trying again makes sense when the database did not answer. */
const RETRY_AFTER_SECONDS = 1;

const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/;

/** Whether another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return driverCode(error).startsWith('SQLITE_BUSY');
}

/** Whether an error is the driver's word that the database can't answer now. */
export function isUnavailable(error: unknown): boolean {
  return UNAVAILABLE.test(driverCode(error));
}

/** Turns the driver's word that the database can't answer now into a 503; other errors stay as they are. */
export function translate(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

export function unavailable(cause?: unknown): ApiError {
  const error = new ApiError('service_unavailable', 'The database does not answer at the moment. Try again.', {
    'Retry-After': String(RETRY_AFTER_SECONDS),
  });
  error.cause = cause;
  return error;
}

function driverCode(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // The driver's native part keeps the error class of the realm that loaded it first, so `instanceof` can't be asked.
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}
