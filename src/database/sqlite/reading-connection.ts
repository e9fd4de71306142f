import Sqlite, { type Database as SqliteConnection } from 'sqlite-driver';
import { LRUCache } from 'lru-cache';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { exactIntegers } from '../exact-integers.js';
import type { QueryAnswer, QueryParameters } from '../transaction.js';
import type { FileIdentity } from './sqlite-file.js';

/** Maximum number of statements of which it is known whether they read. */
const KNOWN_STATEMENTS = 1_000;

/** Uses the read-only connection, which does not see the open transaction of the other one. */
export class ReadingConnection extends BetterSqlite3QueryRunner {
  private readonly known = new LRUCache<string, boolean>({ max: KNOWN_STATEMENTS });

  constructor(
    driver: BetterSqlite3Driver,
    private readonly readOnly: SqliteConnection,
    private readonly file: FileIdentity,
  ) {
    super(driver);
    driver.dataSource.createEntityManager(this);
  }

  override connect(): Promise<SqliteConnection> {
    return Promise.resolve(this.readOnly);
  }

  override async query(sql: string, parameters?: QueryParameters, isStructured?: boolean): Promise<QueryAnswer> {
    this.file.check();
    return exactIntegers(await super.query(sql, parameters, isStructured));
  }

  /** Whether a statement returns rows and changes nothing. */
  canRun(sql: string): boolean {
    const known = this.known.get(sql) ?? this.inspect(sql);
    this.known.set(sql, known);
    return known;
  }

  private inspect(sql: string): boolean {
    try {
      const { reader, readonly } = this.readOnly.prepare(sql);
      return reader && readonly;
    } catch (error) {
      // Such as an error of syntax, which the other connection reports.
      if (error instanceof Sqlite.SqliteError) return false;
      throw error;
    }
  }
}
