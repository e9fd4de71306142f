import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminKeysService, type NewKey } from '../accounts/index.js';
import { type AppOptions, createApp, loadEnv } from '../index.js';
import { SqliteTestDatabase, type TestDatabase } from './test-database.js';

export interface TestAppOptions extends Omit<AppOptions, 'env'> {
  /** Settings, by environment variable. Default of LOG_LEVEL: `silent`. */
  readonly env?: Readonly<Record<string, string>>;
  /** A database that outlives the app. Default: a new SQLite file. */
  readonly database?: TestDatabase;
}

/** The options of `fetch`, and the API key of the request. */
export interface TestRequest extends RequestInit {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** Starts the real application on a free port of the loopback interface. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  if (options.database !== undefined) return start(options, options.database);
  const created = new SqliteTestDatabase();
  try {
    return await start(options, created, () => created.remove());
  } catch (error) {
    await created.remove();
    throw error;
  }
}

async function start(
  { env = {}, ...options }: TestAppOptions,
  database: TestDatabase,
  cleanUp?: () => Promise<void>,
): Promise<TestApp> {
  const settings = { DATABASE_URL: database.url, LOG_LEVEL: 'silent', ...env };
  const app = await createApp({ ...options, env: loadEnv(settings) });
  await app.listen(0, '127.0.0.1');
  return new TestApp(app, database, cleanUp);
}

/** A running application, and methods to call it. */
export class TestApp {
  readonly port: number;
  /** Scheme, host and port. */
  readonly origin: string;
  private accounts = 0;

  constructor(
    /** The Nest application, for `app.get(...)`. */
    readonly app: NestFastifyApplication,
    /** Its database, for another instance or a restart. */
    readonly database: TestDatabase,
    private readonly cleanUp: () => Promise<void> = () => Promise.resolve(),
  ) {
    ({ port: this.port } = app.getHttpServer().address() as AddressInfo);
    this.origin = `http://127.0.0.1:${this.port}`;
  }

  /** Creates a key. Default: a new account on the Business plan, and the default scopes. */
  async key(newKey: Partial<NewKey> = {}): Promise<string> {
    this.accounts += 1;
    const issued = await this.app
      .get(AdminKeysService)
      .createKey({ account: `account ${this.accounts}`, plan: 'business', ...newKey }, 'test');
    return issued.key;
  }

  /** Sends a request to a path below the origin. */
  request(path: string, { key, headers, ...init }: TestRequest = {}): Promise<Response> {
    const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return fetch(`${this.origin}${path}`, { ...init, headers: { ...authorization, ...headers } });
  }

  /** Posts a JSON text unchanged, or any other value as JSON. */
  post(path: string, key: string, body: unknown): Promise<Response> {
    return this.request(path, {
      key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Closes the application, and removes the database that was created for it. */
  async stop(): Promise<void> {
    await this.app.close();
    await this.cleanUp();
  }
}
