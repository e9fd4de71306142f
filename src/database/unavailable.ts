import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { DomainError, messageOf } from '../platform/errors/domain-error.js';

const SQLITE_AWAY = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/;
/** By appendix A of PostgreSQL's manual. Node's own codes begin with E. */
const POSTGRES_AWAY = /^(08...|53...|57P..|58...|XX00[12]|25006|25P03|55P03|57014|40001|40P01|E[A-Z]+)$/;

/** Whether a statement or a commit failed because rows of another table refer to a row. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = driverCode(error);
  // SQLite implements ON DELETE RESTRICT by a trigger.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER') return error instanceof Error && error.message.includes('FOREIGN KEY');
  return ['SQLITE_CONSTRAINT_FOREIGNKEY', '23503', '23001'].includes(code);
}

export function isBusy(error: unknown): boolean {
  return driverCode(error).startsWith('SQLITE_BUSY');
}

/** Turns errors that mean that SQLite is unavailable into DomainError; returns others. */
export function translateSqlite(error: unknown): unknown {
  return SQLITE_AWAY.test(driverCode(error)) ? unavailable(error) : error;
}

/** The same for PostgreSQL, also if the outcome is unknown. The driver's errors about the connection have no code. */
export function translatePostgres(error: unknown): unknown {
  if (error instanceof QueryRunnerAlreadyReleasedError) return unavailable(error);
  if (!(error instanceof QueryFailedError)) return error;
  const code = driverCode(error);
  return code === '' || POSTGRES_AWAY.test(code) ? unavailable(error) : error;
}

export function unavailable(cause?: unknown): DomainError {
  return new DomainError('service_unavailable', 'The database is temporarily unavailable. Try again.', { cause });
}

/** What an operator needs to know of an error at the start, or of a command line. */
export function explained(error: unknown): string {
  const cause = error instanceof DomainError ? error.cause : error;
  const message = messageOf(error);
  if (driverCode(cause) === '57014')
    return 'A statement took too long, and was ended. Raise DATABASE_TIMEOUT_MS (here at least 60000), or ask for fewer days.';
  const [, fault, advice] = FAULTS_OF_FILES.find(([codes]) => codes.test(driverCode(cause))) ?? [];
  return fault === undefined ? message : `The file that DATABASE_URL names ${fault}: ${String(cause)}. ${advice}`;
}

/** SQLite names no file in its messages. */
const FAULTS_OF_FILES = [
  [/^SQLITE_(CORRUPT|NOTADB)/, 'is damaged, or is no SQLite database', 'Restore a backup.'],
  [/^SQLITE_(CANTOPEN|READONLY)/, 'cannot be read and written', 'Check its permissions, and those of its folder.'],
  // To open the database, SQLite creates its -shm file.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'is on a disk that is full', 'Free some space.'],
] as const;

/** The code of an error of a driver, or of Node; empty if it has none. */
export function driverCode(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // The driver's native part keeps the error class of the realm that loaded it first, so `instanceof` does not work.
  const { code = '' } = Object(cause) as { readonly code?: unknown };
  return String(code);
}
