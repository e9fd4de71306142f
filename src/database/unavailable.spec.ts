import { describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { QueryFailedError } from 'typeorm';
import { isBusy, translatePostgres, translateSqlite } from './unavailable.js';

const failure = (code: string) => new QueryFailedError('SELECT 1', [], new Sqlite.SqliteError('on purpose', code));

const postgresFailure = (code?: string) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('on purpose'), { code }));

describe('an error of the database', () => {
  it.each([
    'SQLITE_BUSY',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_FULL',
    'SQLITE_IOERR_READ',
    'SQLITE_READONLY',
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'SQLITE_CANTOPEN',
  ])('%s means that it is unavailable', (code) => {
    const error = failure(code);
    expect(translateSqlite(error)).toMatchObject({ code: 'service_unavailable', cause: error });
  });

  it.each(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR'])('%s is passed on unchanged', (code) => {
    const error = failure(code);
    expect(translateSqlite(error)).toBe(error);
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

  it('is recognised as a lock of another process', () => {
    expect([isBusy(failure('SQLITE_BUSY_SNAPSHOT')), isBusy(failure('SQLITE_FULL'))]).toEqual([true, false]);
  });
});
