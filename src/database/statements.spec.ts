import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { QueryFailedError } from 'typeorm';
import { refuseTransactionControl } from './statements.js';
import { explained, isBusy, isForeignKeyViolation, translatePostgres, translateSqlite } from './unavailable.js';

describe('a statement', () => {
  it.each([
    'BEGIN',
    ' begin immediate',
    'Commit;',
    'END',
    'ROLLBACK',
    'ROLLBACK TO mine',
    'ABORT',
    'SAVEPOINT mine',
    'RELEASE mine',
    'START TRANSACTION',
    '/* so * much ** */ -- and more\n ; BEGIN',
  ])('that controls a transaction is refused: %j', (sql) => {
    expect(() => refuseTransactionControl(sql)).toThrow('dataSource.transaction');
  });

  it.each(['SELECT 1', 'INSERT INTO "begin" VALUES (1)', 'beginning', `${'/* unfinished '.repeat(10_000)} BEGIN`])(
    'that controls no transaction is accepted',
    (sql) => {
      expect(() => refuseTransactionControl(sql)).not.toThrow();
    },
  );
});

const failure = (code: string) => new QueryFailedError('SELECT 1', [], new Sqlite.SqliteError('on purpose', code));

/** ON DELETE RESTRICT is a trigger, and so is what others declare. */
const triggered = (message: string) =>
  new QueryFailedError('DELETE', [], new Sqlite.SqliteError(message, 'SQLITE_CONSTRAINT_TRIGGER'));

const postgresFailure = (code?: string) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('on purpose'), { code }));

describe('an error of the database', () => {
  it.each([
    ['SQLITE_BUSY', true],
    ['SQLITE_BUSY_SNAPSHOT', true],
    ['SQLITE_FULL', true],
    ['SQLITE_IOERR_READ', true],
    ['SQLITE_READONLY', true],
    ['SQLITE_CORRUPT', true],
    ['SQLITE_NOTADB', true],
    ['SQLITE_CANTOPEN', true],
    ['SQLITE_CONSTRAINT_UNIQUE', false],
    ['SQLITE_ERROR', false],
  ])('%s means that SQLite is unavailable: %s', (code, isAway) => {
    const error = failure(code);
    const away = expect.objectContaining({ code: 'service_unavailable', cause: error });
    expect(translateSqlite(error)).toEqual(isAway ? away : error);
  });

  it.each([
    ['08006', true],
    ['53300', true],
    ['57P01', true],
    ['57014', true],
    ['55P03', true],
    ['40P01', true],
    ['25006', true],
    ['ECONNREFUSED', true],
    [undefined, true],
    ['23505', false],
    ['42P01', false],
    ['22003', false],
  ])('%s means that PostgreSQL is unavailable: %s', (code, isAway) => {
    const error = postgresFailure(code);
    expect(translatePostgres(error) !== error).toBe(isAway);
  });

  it.each([
    [failure('SQLITE_CONSTRAINT_FOREIGNKEY'), true],
    [triggered('FOREIGN KEY constraint failed'), true],
    [triggered('protected'), false],
    [failure('SQLITE_CONSTRAINT_UNIQUE'), false],
    [postgresFailure('23503'), true],
    [postgresFailure('23001'), true],
    [postgresFailure('23505'), false],
  ])('tells whether rows of another table refer to a row: %#', (error, isViolation) => {
    expect(isForeignKeyViolation(error)).toBe(isViolation);
  });

  it.each([
    ['SQLITE_NOTADB', 'is damaged, or is no SQLite database'],
    ['SQLITE_CANTOPEN', 'cannot be read and written'],
    ['SQLITE_READONLY_DIRECTORY', 'cannot be read and written'],
    ['SQLITE_FULL', 'is on a disk that is full'],
    ['SQLITE_IOERR_SHMSIZE', 'is on a disk that is full'],
  ])('is told to operators with what it is about: %s', (code, fault) => {
    const reason = new Sqlite.SqliteError('on purpose', code);
    for (const error of [reason, translateSqlite(reason)])
      expect(explained(error)).toMatch(new RegExp(`^The file that DATABASE_URL names ${fault}: .*on purpose\\. [A-Z]`));
  });

  it('is recognised as a lock of another process', () => {
    expect([isBusy(failure('SQLITE_BUSY_SNAPSHOT')), isBusy(failure('SQLITE_FULL'))]).toEqual([true, false]);
  });
});
