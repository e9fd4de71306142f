import { describe, expect, it } from '@jest/globals';
import { isRead, refuseTransactionControl } from './statements.js';

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

  it.each([
    'SELECT 1',
    'INSERT INTO "begin" VALUES (1)',
    'beginning',
    'SAVEPOINT typeorm_1',
    'RELEASE SAVEPOINT typeorm_12',
    'ROLLBACK TO SAVEPOINT typeorm_1',
    `${'/* unfinished '.repeat(10_000)} BEGIN`,
  ])('that controls no transaction is accepted', (sql) => {
    expect(() => refuseTransactionControl(sql)).not.toThrow();
  });

  it.each([
    ['SELECT 1', true],
    ['  -- said\nselect 1', true],
    ['VALUES (1)', true],
    ['WITH x AS (SELECT 1) SELECT * FROM x', true],
    ['EXPLAIN SELECT 1', true],
    ['WITH x AS (SELECT 1) DELETE FROM pets', false],
    ['EXPLAIN ANALYZE UPDATE pets SET name = 1', false],
    ['INSERT INTO pets SELECT 1', false],
    ['PRAGMA query_only = ON', false],
    ['TRUNCATE pets', false],
    ['SELECTED', false],
  ])('%j reads only: %s', (sql, expected) => {
    expect(isRead(sql)).toBe(expected);
  });
});
