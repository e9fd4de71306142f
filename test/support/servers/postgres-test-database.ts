import { MARK, PostgresTestDatabase as KitDatabase } from '../../../src/testing/postgres-test-database.js';

/** A database on a server that runs already. */
export class PostgresTestDatabase extends KitDatabase {
  /** Creates the database without tables. */
  async createEmpty(): Promise<void> {
    await this.queryServer(`CREATE DATABASE "${this.name}"`);
    await this.queryServer(`COMMENT ON DATABASE "${this.name}" IS '${MARK}'`);
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
}
