import { rmSync } from 'node:fs';
import { queryOnce } from '../../src/testing/query-once.js';
import { insertKey, type Terms } from './insert-key.js';
import type { PostgresServer } from './servers/postgres-server.js';
import { PostgresTestDatabase } from './servers/postgres-test-database.js';
import { RedisServer } from './servers/redis-server.js';
import { type ServiceProcess, startProcess } from './service-process.js';
import { makeFolder } from './temporary.js';

interface FleetOptions {
  readonly instances?: number;
  /** A server that the test kills, and that the fleet stops. Default: the one that all tests share. */
  readonly server?: PostgresServer;
  /** Environment of the instances, in addition to the server addresses. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Instances of the built service, with a database and a Redis server of their own. */
export class Fleet {
  readonly instances: ServiceProcess[] = [];
  private readonly folder = makeFolder();

  private constructor(
    readonly databaseUrl: string,
    readonly redis: RedisServer,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly server: PostgresServer | undefined,
    private readonly database: PostgresTestDatabase | undefined,
  ) {}

  /** The instances start at once on an empty database, which one of them migrates. */
  static async start({ instances = 3, server, env = {} }: FleetOptions = {}): Promise<Fleet> {
    const database = server === undefined ? await PostgresTestDatabase.empty() : undefined;
    const url = database?.url ?? (await server?.createDatabase('petstore')) ?? '';
    const fleet = new Fleet(url, await RedisServer.start(), env, server, database);
    await Promise.all(Array.from({ length: instances }, () => fleet.launch()));
    return fleet;
  }

  get ports(): number[] {
    return this.instances.map(({ port }) => port);
  }

  private get env(): Readonly<Record<string, string>> {
    return { DATABASE_URL: this.databaseUrl, ...this.redis.env, ...this.settings };
  }

  async launch(): Promise<ServiceProcess> {
    const instance = await startProcess({ folder: this.folder, env: this.env });
    this.instances.push(instance);
    return instance;
  }

  query<Row extends object>(sql: string): Promise<Row[]> {
    return queryOnce<Row>(this.databaseUrl, sql);
  }

  /** Creates a key of an account. Default: of one whose limits no test exhausts. */
  createKey(account: string, terms?: Terms): Promise<{ id: string; key: string }> {
    return insertKey(this.databaseUrl, account, terms);
  }

  async stop(): Promise<void> {
    // A paused server would keep the instances from stopping.
    this.server?.resume();
    this.redis.resume();
    await Promise.all(this.instances.map((instance) => instance.stop('SIGKILL')));
    await Promise.all([this.server?.stop(), this.redis.stop(), this.database?.remove()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Settings under which no test exhausts the limits for requests without a key. */
export const OPEN_TO_ANYBODY = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' };
