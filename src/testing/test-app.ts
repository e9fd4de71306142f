import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { KnownScopes } from '../auth/keys/scopes.js';
import { KeysService } from '../accounts/keys/keys.service.js';
import type { IssuedKey } from '../accounts/keys/key-responses.dto.js';
import type { NewKey } from '../accounts/keys/key-options.js';
import { RecurringTask } from '../platform/recurring-task.js';
import { runAs } from '../database/events/actor.js';
import { Events } from '../database/events/events.js';
import { exactJson, jsonText } from '../platform/int64.js';
import { type AppOptions, createApp, Env, loadEnv } from '../index.js';
import { PostgresTestDatabase } from './postgres-test-database.js';
import { RecordedEvents } from './recorded-events.js';
import { SqliteTestDatabase, type TestDatabase } from './test-database.js';

export interface TestAppOptions extends Omit<AppOptions, 'env'> {
  /** Settings, by environment variable, except for that of the database. Default of LOG_LEVEL: `silent`. */
  readonly env?: Readonly<Record<string, string>>;
  /** A `SqliteTestDatabase` or `PostgresTestDatabase` that outlives the app. Default: a new one. */
  readonly database?: TestDatabase;
  /** URL of any database of the server for a new one. Default: SQLite. */
  readonly postgresUrl?: string;
  /** Replaces providers, as `overrideProvider` of `@nestjs/testing` does. */
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
}

/** The options of `fetch`, and the API key of the request. */
export interface TestRequest extends RequestInit {
  readonly key?: string | Pick<IssuedKey, 'key'>;
  readonly headers?: Record<string, string>;
}

/** A request with a JSON body, which can have bigints. With a body, the default method is POST. */
export interface JsonRequest extends Omit<TestRequest, 'body'> {
  readonly body?: unknown;
}

/** A response and its JSON body, if any; integers that a number would round are bigints. */
export interface JsonResponse<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

const OPTIONS = 'env, database, postgresUrl, override, clock, extensions, configure, create';

/**
 * Starts the real application on a free port of the loopback interface.
 * @throws (rejects) TypeError if an option is unknown, or would lead to a database that is not a test's
 */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  checkOptions(options);
  const { database, postgresUrl } = options;
  if (database !== undefined) return start(options, database);
  const created = postgresUrl === undefined ? new SqliteTestDatabase() : new PostgresTestDatabase(postgresUrl);
  try {
    return await start(options, created, () => created.remove());
  } catch (error) {
    await created.remove();
    throw error;
  }
}

/** Callers without types could otherwise run their tests on data that somebody needs. */
function checkOptions({ database, env = {}, ...options }: TestAppOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.split(', ').includes(name));
  if (unknown !== undefined) throw new TypeError(`startTestApp has no option ${unknown}. Its options are ${OPTIONS}.`);
  if (database !== undefined && !(database instanceof SqliteTestDatabase || database instanceof PostgresTestDatabase))
    throw new TypeError(
      'database must be a SqliteTestDatabase or a PostgresTestDatabase. For a new one on PostgreSQL, pass postgresUrl.',
    );
  if (database !== undefined && options.postgresUrl !== undefined)
    throw new TypeError('Pass database or postgresUrl, not both.');
  if (env['DATABASE_URL'] || env['DATABASE_URL_FILE'])
    throw new TypeError('env cannot have DATABASE_URL. Pass database, or postgresUrl for a new one on PostgreSQL.');
}

async function start(
  { env = {}, override, ...options }: TestAppOptions,
  database: TestDatabase,
  cleanUp?: () => Promise<void>,
): Promise<TestApp> {
  // Refuses one that is not a test's.
  if (database instanceof PostgresTestDatabase) await database.create(options.extensions);
  // A Redis server can be that of a service too.
  const prefix = `petstore-test-${createHash('sha256').update(database.url).digest('hex').slice(0, 16)}:`;
  const own = { DATABASE_URL: database.url, REDIS_PREFIX: `${prefix}${env['REDIS_PREFIX'] ?? ''}` };
  const settings = loadEnv({ LOG_LEVEL: 'silent', ...env, ...own });
  const create = override === undefined ? {} : { create: overridden(override, settings) };
  const app = await createApp({ ...options, ...create, env: settings });
  await app.listen(0, '127.0.0.1');
  return new TestApp(app, database, cleanUp);
}

function overridden(override: NonNullable<TestAppOptions['override']>, env: Env): NonNullable<AppOptions['create']> {
  return async (module, adapter, nestOptions) => {
    // Only tests that use it need the package.
    const { Test } = await import('@nestjs/testing');
    const testing = await override(Test.createTestingModule({ imports: [module] })).compile();
    if (testing.get(Env) !== env) {
      await testing.close();
      throw new TypeError('override cannot replace Env. Pass env.');
    }
    return testing.createNestApplication<NestFastifyApplication>(adapter, nestOptions);
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A running application, and methods to call it. */
export class TestApp {
  readonly port: number;
  readonly origin: string;
  private accounts = 0;

  constructor(
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
    return (await this.createKey(newKey)).key;
  }

  /** The same, with the identifier and the account of the key. @throws TypeError if no operation has a scope */
  createKey(newKey: Partial<NewKey> = {}): Promise<IssuedKey> {
    const { names } = this.app.get(KnownScopes);
    const unknown = newKey.scopes?.find((scope) => !names.has(scope));
    if (unknown !== undefined)
      throw new TypeError(`No operation has the scope ${unknown}. Known scopes: ${[...names].join(', ')}.`);
    this.accounts += 1;
    const keys = this.app.get(KeysService);
    return runAs('test', () => keys.createKey({ account: `account ${this.accounts}`, plan: 'business', ...newKey }));
  }

  /** Sends a request to a path below the origin. */
  request(path: string, { key, headers, ...init }: TestRequest = {}): Promise<Response> {
    const token = typeof key === 'object' ? key.key : key;
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return fetch(`${this.origin}${path}`, { ...init, headers: { ...authorization, ...headers } });
  }

  /** Sends a request with a JSON body, or none, and reads the JSON body of the response. */
  async json<Body = unknown>(path: string, options: JsonRequest = {}): Promise<JsonResponse<Body>> {
    const { body, headers, ...request } = options;
    const sent: TestRequest = body === undefined ? {} : { method: 'POST', headers: JSON_TYPE, body: jsonText(body) };
    const response = await this.request(path, { ...sent, ...request, headers: { ...sent.headers, ...headers } });
    const text = await response.text();
    const received = (text === '' ? undefined : exactJson.parse(text, exactMember)) as Body;
    return { status: response.status, headers: response.headers, body: received };
  }

  /** Records committed events from now on. @param pattern such as `pet.created` or `pet.*` */
  record(pattern: string): RecordedEvents {
    return new RecordedEvents(this.app.get(Events, { strict: false }).emitter, pattern);
  }

  /**
   * Runs a task now, as a test cannot wait for its interval, which a `FakeClock` does not shorten.
   * @param name that the task has in the log and the metrics, such as `cancelling expired orders`
   * @throws (rejects) the error of the task, or TypeError if there is none of this name
   */
  async runTask(name: string): Promise<void> {
    const providers = new DiscoveryService(this.app.get(ModulesContainer)).getProviders();
    const tasks = providers.map(({ instance }) => instance as unknown).filter((one) => one instanceof RecurringTask);
    const names = tasks.map((one) => RecurringTask.nameOf(one));
    const task = tasks[names.indexOf(name)];
    if (task === undefined) throw new TypeError(`There is no task ${name}. The tasks are: ${names.join(', ')}.`);
    await task.run();
  }

  /** Posts a JSON text unchanged, or any other value as JSON. */
  post(path: string, key: string, body: unknown): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.request(path, { key, method: 'POST', headers: JSON_TYPE, body: text });
  }

  /** Closes the application, and removes the database that was created for it. */
  async stop(): Promise<void> {
    await this.app.close();
    await this.cleanUp();
  }
}

function exactMember(_name: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source);
  return isRounded ? BigInt(source) : value;
}
