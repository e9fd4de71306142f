import { describe, expect, it } from '@jest/globals';
import { refuseTransactionControl } from './statements.js';

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
