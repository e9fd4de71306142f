import { randomUUID } from 'node:crypto';
import { queryOnce } from '../../../src/testing/query-once.js';

const serverUrl = () => String(process.env['TEST_POSTGRES_URL']);

/** A database on the server that all tests of a run share. It has no tables until a service migrates it. */
export class EmptyDatabase {
  private constructor(private readonly name: string) {}

  /** @param options continues CREATE DATABASE */
  static async create(options = ''): Promise<EmptyDatabase> {
    const name = `petstore_empty_${randomUUID()}`;
    await queryOnce(serverUrl(), `CREATE DATABASE "${name}" ${options}`);
    return new EmptyDatabase(name);
  }

  /** Value of DATABASE_URL. */
  get url(): string {
    return Object.assign(new URL(serverUrl()), { pathname: this.name }).href;
  }

  /** Changes a setting of its sessions. */
  async set(setting: string): Promise<void> {
    await queryOnce(serverUrl(), `ALTER DATABASE "${this.name}" SET ${setting}`);
  }

  async remove(): Promise<void> {
    await queryOnce(serverUrl(), `DROP DATABASE "${this.name}" WITH (FORCE)`);
  }
}
