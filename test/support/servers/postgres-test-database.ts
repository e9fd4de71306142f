import { MARK, PostgresTestDatabase as KitDatabase } from '../../../src/testing/postgres-test-database.js';
import { queryOnce } from '../../../src/testing/query-once.js';

/** A database on a server that runs already. */
export class PostgresTestDatabase extends KitDatabase {
  /** A new one without tables on the server that all tests of a run share. */
  static async empty(): Promise<PostgresTestDatabase> {
    const database = new PostgresTestDatabase(String(process.env['TEST_POSTGRES_URL']));
    await database.createEmpty();
    return database;
  }

  /**
   * Creates the database without tables.
   * @param options continues CREATE DATABASE
   */
  async createEmpty(options = ''): Promise<void> {
    await queryOnce(this.serverUrl, `CREATE DATABASE "${this.name}" ${options}`);
    await queryOnce(this.serverUrl, `COMMENT ON DATABASE "${this.name}" IS '${MARK}'`);
  }

  /** Changes a setting of its sessions. */
  async set(setting: string): Promise<void> {
    await queryOnce(this.serverUrl, `ALTER DATABASE "${this.name}" SET ${setting}`);
  }

  /** Refuses new connections, and terminates the open ones. */
  async refuseConnections(): Promise<void> {
    await queryOnce(this.serverUrl, `ALTER DATABASE "${this.name}" ALLOW_CONNECTIONS false`);
    await queryOnce(
      this.serverUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${this.name}'`,
    );
  }

  async allowConnections(): Promise<void> {
    await queryOnce(this.serverUrl, `ALTER DATABASE "${this.name}" ALLOW_CONNECTIONS true`);
  }
}
