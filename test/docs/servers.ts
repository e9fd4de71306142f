import { PostgresServer } from '../support/servers/postgres-server.js';
import { RedisServer } from '../support/servers/redis-server.js';

/** The placeholders in the manual's commands for the servers that instances share. */
const DATABASE = 'postgres://petstore:secret@db.example.com/petstore';
const REDIS = 'redis://redis.example.com';

const TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname";

export class Servers {
  private constructor(
    private readonly postgres: PostgresServer,
    private readonly redis: RedisServer,
    private readonly database: string,
  ) {}

  static async start(): Promise<Servers> {
    const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
    return new Servers(postgres, redis, await postgres.createDatabase('petstore'));
  }

  static areIn(command: string): boolean {
    return command.includes(DATABASE);
  }

  fillIn(command: string): string {
    return command.replaceAll(DATABASE, this.database).replaceAll(REDIS, this.redis.url);
  }

  tables(): Promise<object[]> {
    return this.postgres.query(TABLES, 'petstore');
  }

  async lose(): Promise<void> {
    await this.postgres.query('DROP SCHEMA public CASCADE', 'petstore');
    await this.postgres.query('CREATE SCHEMA public', 'petstore');
  }

  async stop(): Promise<void> {
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }
}
