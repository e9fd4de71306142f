import { randomUUID } from 'node:crypto';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { generateApiKey, hashApiKey, maskApiKey } from '../../src/auth/keys/api-key-format.js';
import { DEFAULT_SCOPES } from '../../src/auth/keys/scopes.js';
import { queryOnce } from '../../src/testing/postgres-test-database.js';
import { makeFolder, onSharedServer } from './databases.js';
import { AMPLE } from './folders.js';
import { freshMetrics } from './metrics.js';
import type { PostgresServer } from './servers/postgres-server.js';
import { RedisServer } from './servers/redis-server.js';
import { type Ended, runKeys, type ServiceProcess, startProcess } from './service-process.js';

export interface FleetOptions {
  readonly instances?: number;
  /** A server that the test kills, and that the fleet stops. Default: the one that all tests share. */
  readonly server?: PostgresServer;
  /** Whether the database begins without tables. */
  readonly isEmpty?: boolean;
  /** Environment of the instances, in addition to the server addresses. */
  readonly env?: Readonly<Record<string, string>>;
}

type Terms = Pick<NewKey, 'plan' | 'perMinute' | 'perDay'>;

/** Instances of the built service, with a database and a Redis server of their own. */
export class Fleet {
  readonly instances: ServiceProcess[] = [];

  private constructor(
    readonly databaseUrl: string,
    readonly redis: RedisServer,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly server: PostgresServer | undefined,
  ) {}

  static async start({ instances = 3, server, isEmpty = false, env = {} }: FleetOptions = {}): Promise<Fleet> {
    const folder = makeFolder();
    const shared = onSharedServer(folder);
    if (server === undefined) await (isEmpty ? shared.createEmpty() : shared.create());
    const url = (await server?.createDatabase('petstore')) ?? shared.url;
    const fleet = new Fleet(url, await RedisServer.start(), folder, env, server);
    await Promise.all(Array.from({ length: instances }, () => fleet.launch()));
    return fleet;
  }

  get ports(): number[] {
    return this.instances.map(({ port }) => port);
  }

  private get env(): Readonly<Record<string, string>> {
    return { DATABASE_URL: this.databaseUrl, ...this.redis.env, ...this.settings };
  }

  /** Starts another instance. */
  async launch(): Promise<ServiceProcess> {
    const instance = await startProcess({ folder: this.folder, env: this.env });
    this.instances.push(instance);
    return instance;
  }

  /** Removes an instance from the fleet, then stops it. */
  retire(instance: ServiceProcess, signal: NodeJS.Signals): Promise<Ended> {
    this.instances.splice(this.instances.indexOf(instance), 1);
    return instance.stop(signal);
  }

  /** Runs the keys command line. */
  keys(...args: string[]): Promise<Ended> {
    return runKeys(args, { folder: this.folder, env: this.env });
  }

  /** Runs one statement on a new connection. */
  query<Row extends object>(sql: string): Promise<Row[]> {
    return queryOnce<Row>(this.databaseUrl, sql);
  }

  /** Creates a key of an account. Default: of one whose limits no test exhausts. */
  createKey(account: string, terms: Terms = AMPLE): Promise<{ id: string; key: string }> {
    return insertKey(this.databaseUrl, account, terms);
  }

  /** Returns the value of a metric without labels for each instance. */
  metric(name: string): Promise<number[]> {
    return Promise.all(
      this.instances.map(async ({ origin }) => {
        const text = await freshMetrics(async () => (await fetch(`${origin}/metrics`)).text());
        return Number(new RegExp(`^${name} ([0-9.e+]+)$`, 'm').exec(text)?.[1]);
      }),
    );
  }

  async stop(): Promise<void> {
    // A paused server would keep the instances from stopping.
    this.server?.resume();
    this.redis.resume();
    await Promise.all(this.instances.map((instance) => instance.stop('SIGKILL')));
    await Promise.all([this.server?.stop(), this.redis.stop(), onSharedServer(this.folder).remove()]);
  }
}

/** Inserts a key into a database of PostgreSQL, which is faster than a run of the command line. */
export async function insertKey(url: string, account: string, { plan, perMinute, perDay }: Terms = AMPLE) {
  const key = generateApiKey('live');
  const id = `key_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  await queryOnce(
    url,
    `WITH holder AS (
       INSERT INTO "accounts" ("name", "plan", "per_minute", "per_day", "created_at")
       VALUES ('${account}', '${plan}', ${perMinute ?? null}, ${perDay ?? null}, 0)
       ON CONFLICT ("name") DO UPDATE SET "name" = excluded."name" RETURNING "id")
     INSERT INTO "api_keys" ("id", "account_id", "sha256", "masked", "scopes", "created_at")
     SELECT '${id}', "id", '${hashApiKey(key)}', '${maskApiKey(key)}', '${DEFAULT_SCOPES.join(' ')}', 0 FROM holder`,
  );
  return { id, key };
}

/** Settings under which no test exhausts the limits for requests without a key. */
export const OPEN_TO_ANYBODY = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' };
