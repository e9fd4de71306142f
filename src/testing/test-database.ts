import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'sqlite-driver';
import { isInstalled } from './installed.js';
import { PostgresServer, queryOnce } from './postgres-server.js';

export type DatabaseKind = 'sqlite' | 'postgres';

/** The kinds of databases on this machine: SQLite, and PostgreSQL if it is installed. */
export const INSTALLED_DATABASES: readonly DatabaseKind[] = isInstalled('postgres')
  ? ['sqlite', 'postgres']
  : ['sqlite'];

/** A database for one test. */
export interface TestDatabase {
  /** Value of DATABASE_URL. */
  readonly url: string;
  /** Runs one statement on a separate connection, also while the service uses the database. */
  query<Row extends object>(sql: string): Promise<Row[]>;
  /** Deletes the database, even while it is in use. */
  remove(): Promise<void>;
}

/** Creates an empty database: a SQLite file, or a new PostgreSQL server. */
export async function createTestDatabase(kind: DatabaseKind = 'sqlite'): Promise<TestDatabase> {
  if (kind === 'sqlite') return new SqliteTestDatabase(mkdtempSync(join(tmpdir(), 'petstore-test-')));
  const server = await PostgresServer.start({ fsync: false });
  return {
    url: await server.createDatabase('petstore'),
    query: (sql) => server.query(sql, 'petstore'),
    remove: () => server.stop(),
  };
}

/** A SQLite file in a folder, which is removed with it. */
export class SqliteTestDatabase implements TestDatabase {
  readonly path: string;

  constructor(private readonly folder: string) {
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

  async remove(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A database on a PostgreSQL server. */
export class PostgresTestDatabase implements TestDatabase {
  /** @param serverUrl address of the server, ending in a slash, with a user who can create databases */
  constructor(
    private readonly serverUrl: string,
    private readonly name: string,
  ) {}

  get url(): string {
    return `${this.serverUrl}${this.name}`;
  }

  /** Creates the database, unless it exists. */
  async create(): Promise<void> {
    const [existing] = await this.queryServer(`SELECT FROM pg_database WHERE datname = '${this.name}'`);
    if (existing === undefined) await this.queryServer(`CREATE DATABASE "${this.name}"`);
  }

  query<Row extends object>(sql: string): Promise<Row[]> {
    return queryOnce<Row>(this.url, sql);
  }

  async remove(): Promise<void> {
    await this.queryServer(`DROP DATABASE IF EXISTS "${this.name}" WITH (FORCE)`);
  }

  /** Refuses new connections, and terminates the open ones. */
  async refuseConnections(): Promise<void> {
    await this.queryServer(`ALTER DATABASE "${this.name}" ALLOW_CONNECTIONS false`);
    await this.queryServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${this.name}'`);
  }

  /** Ends `refuseConnections`. */
  async allowConnections(): Promise<void> {
    await this.queryServer(`ALTER DATABASE "${this.name}" ALLOW_CONNECTIONS true`);
  }

  private queryServer<Row extends object>(sql: string): Promise<Row[]> {
    return queryOnce<Row>(`${this.serverUrl}postgres`, sql);
  }
}
