import type { Database as SqliteConnection } from 'sqlite-driver';
import type { ObjectLiteral } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { exactIntegers } from '../exact-integers.js';
import { refuseTransactionControl } from '../statements.js';
import { translate } from '../unavailable.js';
import type { FileIdentity } from './file-identity.js';

/** Uses the read-only connection, which is independent of the writer's open transaction. */
export class ReadingQueryRunner extends BetterSqlite3QueryRunner {
  constructor(
    driver: BetterSqlite3Driver,
    private readonly readOnly: SqliteConnection,
    private readonly file: FileIdentity,
  ) {
    super(driver);
  }

  override connect(): Promise<SqliteConnection> {
    return Promise.resolve(this.readOnly);
  }

  override async query(sql: string, parameters?: unknown[] | ObjectLiteral, isStructured?: boolean) {
    refuseTransactionControl(sql);
    this.file.check();
    try {
      return exactIntegers(await super.query(sql, parameters, isStructured));
    } catch (error) {
      throw translate(error);
    }
  }

  override async startTransaction(): Promise<void> {
    throw new Error('This query runner reads only. Use Database.write or dataSource.transaction to write.');
  }
}
