import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource, type Extension, loadEnv } from '../index.js';
import { VERSION } from '../platform/config/env.js';
import { queryOnce, withClient } from './query-once.js';
import type { TestDatabase } from './test-database.js';

/** The comment on each test database. Others may have data that somebody needs. */
export const MARK = 'petstore test database';

/** The comment on each template, with the day of its last use. */
const usedOn = (time: number) => `petstore template, used ${new Date(time).toISOString().slice(0, 10)}`;
const TWO_WEEKS_MS = 1_209_600_000;

/** With what it inherits. What it imports has no text here. */
function textOf(migration: unknown): string {
  return typeof migration === 'function' ? `${migration}\n${textOf(Object.getPrototypeOf(migration))}` : '';
}

/** Those of migrations that have changed since. */
async function dropOldTemplates(client: Client): Promise<void> {
  const sql = `SELECT datname AS "name" FROM pg_database WHERE datname LIKE 'petstore^_template^_%' ESCAPE '^'
    AND COALESCE(shobj_description(oid, 'pg_database'), '') < $1`;
  for (const { name } of (await client.query<{ name: string }>(sql, [usedOn(Date.now() - TWO_WEEKS_MS)])).rows)
    await client.query(`DROP DATABASE "${name}" WITH (FORCE)`);
}

export class PostgresTestDatabase implements TestDatabase {
  /**
   * @param serverUrl of any database of the server, with a user who can create databases
   * @throws TypeError if it is no URL of PostgreSQL
   */
  constructor(
    protected readonly serverUrl: string,
    protected readonly name = `petstore_test_${randomUUID()}`,
  ) {
    // Without an address, the driver would use those of the environment.
    if (!/^postgres(ql)?:\/\/./.test(serverUrl))
      throw new TypeError('The URL of the server must be postgres://user:password@host:port/database.');
  }

  get url(): string {
    return this.urlOf(this.name);
  }

  /**
   * Creates the database with all tables, unless it exists. Migrations run once on a server: they make a template, which is
   * copied, until the text of one of them or of a class that it extends changes. Templates that no test has used for two weeks
   * are dropped.
   * @throws (rejects) Error if there is a database of this name that is no test database
   */
  async create(extensions: readonly Extension[] = []): Promise<void> {
    await withClient(this.serverUrl, async (client) => {
      await client.query(`SELECT pg_advisory_lock(hashtext('petstore test databases'))`);
      if (await this.isMade(client)) return;
      const { migrations = [] } = this.dataSourceOf(this.name, extensions).options;
      // Another version of the service can have other types of columns.
      const sources = [VERSION, ...Object.values(migrations).map(textOf)].join('\n');
      const template = `petstore_template_${createHash('sha256').update(sources).digest('hex').slice(0, 16)}`;
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
      if (rowCount === 0) await this.createTemplate(client, template, extensions);
      await client.query(`COMMENT ON DATABASE "${template}" IS '${usedOn(Date.now())}'`);
      await client.query(`CREATE DATABASE "${this.name}" TEMPLATE "${template}"`);
      await client.query(`COMMENT ON DATABASE "${this.name}" IS '${MARK}'`);
      // To share nothing in Redis with the other copies.
      await this.query('UPDATE "database_identity" SET "id" = gen_random_uuid()');
    });
  }

  query<Row extends object>(sql: string): Promise<Row[]> {
    return queryOnce<Row>(this.url, sql);
  }

  async remove(): Promise<void> {
    await withClient(this.serverUrl, async (client) => {
      if (await this.isMade(client)) await client.query(`DROP DATABASE IF EXISTS "${this.name}" WITH (FORCE)`);
    });
  }

  private async isMade(client: Client): Promise<boolean> {
    const sql = `SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`;
    const [found] = (await client.query<{ mark: string | null }>(sql, [this.name])).rows;
    if (found !== undefined && found.mark !== MARK)
      throw new Error(`The database ${this.name} is not a test database. Pass another name, or none.`);
    return found !== undefined;
  }

  /** Under another name until it is complete. */
  private async createTemplate(client: Client, template: string, extensions: readonly Extension[]): Promise<void> {
    await dropOldTemplates(client);
    const unfinished = `${template}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS "${unfinished}"`);
    await client.query(`CREATE DATABASE "${unfinished}"`);
    const dataSource = await this.dataSourceOf(unfinished, extensions).initialize();
    try {
      await dataSource.runMigrations();
    } finally {
      await dataSource.destroy();
    }
    await client.query(`ALTER DATABASE "${unfinished}" RENAME TO "${template}"`);
  }

  private dataSourceOf(database: string, extensions: readonly Extension[]): DataSource {
    return createDataSource(loadEnv({ DATABASE_URL: this.urlOf(database) }), extensions);
  }

  private urlOf(database: string): string {
    return Object.assign(new URL(this.serverUrl), { pathname: database }).href;
  }
}
