import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'sqlite-driver';

/** An empty database for tests. */
export interface TestDatabase {
  /** Value of DATABASE_URL. */
  readonly url: string;
  /** Runs one statement on a separate connection, also while the service uses the database. */
  query<Row extends object>(sql: string): Promise<Row[]>;
}

/** A SQLite file in a folder, which is removed with it. */
export class SqliteTestDatabase implements TestDatabase {
  readonly path: string;

  /** @param folder default: a new temporary one */
  constructor(private readonly folder: string = mkdtempSync(join(tmpdir(), 'petstore-test-'))) {
    this.path = join(folder, 'petstore.sqlite');
  }

  get url(): string {
    return `sqlite:${this.path}`;
  }

  async query<Row extends object>(sql: string): Promise<Row[]> {
    const database = new Sqlite(this.path);
    try {
      const statement = database.prepare<unknown[], Row>(sql);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    } finally {
      database.close();
    }
  }

  /** Deletes the database, even while it is in use. */
  async remove(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
