import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { UnavailableError } from '../errors/index.js';

const SQLITE_AWAY = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/;

/**
 * Classes and codes of PostgreSQL (its manual, appendix A): connection, resources, shutdown, system and corruption; a new
 * primary, a lock or statement timeout, a deadlock. Node's own codes begin with E.
 */
const POSTGRES_AWAY = /^(08...|53...|57P..|58...|XX00[12]|25006|25P03|55P03|57014|40001|40P01|E[A-Z]+)$/;

/** Whether a statement or a commit failed because rows of another table refer to a row. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = driverCode(error);
  // SQLite implements ON DELETE RESTRICT by a trigger.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER') return error instanceof Error && error.message.includes('FOREIGN KEY');
  return ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503', '23001'].includes(code);
}

/** Whether another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return driverCode(error).startsWith('SQLITE_BUSY');
}

/** Whether an error of SQLite's driver means that the database is temporarily unavailable. */
export function isUnavailable(error: unknown): boolean {
  return SQLITE_AWAY.test(driverCode(error));
}

/**
 * Whether an error means that PostgreSQL is unavailable, or that the outcome is unknown. The driver's errors about the
 * connection have no code.
 */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const code = driverCode(error);
  return code === '' || POSTGRES_AWAY.test(code);
}

/** Turns errors that mean that SQLite is unavailable into UnavailableError; other errors are kept. */
export function translate(error: unknown): unknown {
  return isUnavailable(error) ? unavailable(error) : error;
}

export function unavailable(cause?: unknown): UnavailableError {
  return new UnavailableError('The database is temporarily unavailable. Try again.', { cause });
}

function driverCode(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // The driver's native part keeps the error class of the realm that loaded it first, so `instanceof` does not work.
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code !== undefined
    ? String(cause.code)
    : '';
}
