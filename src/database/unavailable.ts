import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ApiError } from '../errors/index.js';

/** Seconds after which trying again makes sense when the database did not answer. */
const RETRY_AFTER_SECONDS = 1;

const SQLITE_AWAY = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/;

/**
 * Classes and codes of PostgreSQL (its manual, appendix A): connection, resources, shutdown, system and corruption; a
 * replica that took over, a lock or a statement that took too long, a deadlock. Node's own codes begin with an E.
 */
const POSTGRES_AWAY = /^(08...|53...|57P..|58...|XX00[12]|25006|55P03|57014|40001|40P01|E[A-Z]+)$/;

/** Whether another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return driverCode(error).startsWith('SQLITE_BUSY');
}

/** Whether an error is the word of SQLite's driver that the database can't answer now. */
export function isUnavailable(error: unknown): boolean {
  return SQLITE_AWAY.test(driverCode(error));
}

/**
 * Whether an error means that PostgreSQL can't answer now, or that it's unknown what it did. The driver's errors about
 * the connection, such as one that ended, have no code.
 */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const code = driverCode(error);
  return code === '' || POSTGRES_AWAY.test(code);
}

/** Turns the word of SQLite's driver that the database can't answer now into a 503; other errors stay as they are. */
export function translate(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

export function unavailable(cause?: unknown): ApiError {
  const error = new ApiError('service_unavailable', 'The database does not answer at the moment. Try again.', {
    'retry-after': String(RETRY_AFTER_SECONDS),
  });
  error.cause = cause;
  return error;
}

function driverCode(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // The driver's native part keeps the error class of the realm that loaded it first, so `instanceof` can't be asked.
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code !== undefined ? String(cause.code) : '';
}
