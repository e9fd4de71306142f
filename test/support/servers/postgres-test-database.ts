import type { TestDatabase } from '../../../src/testing/test-database.js';
import { queryOnce } from './postgres-server.js';

/** A database on a server that runs already. */
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
