import type { IssuedKey } from '../../src/accounts/keys/key-responses.dto.js';
import { makeFolder, removeDatabase } from './databases.js';
import { PostgresServer } from './servers/postgres-server.js';
import { RedisServer } from './servers/redis-server.js';
import { type Ended, runKeys, type ServiceProcess, startProcess } from './service-process.js';
import { freshMetrics } from './metrics.js';

export interface FleetOptions {
  readonly instances?: number;
  /** Connection limit of PostgreSQL. */
  readonly maxConnections?: number;
  /** Environment of the instances, in addition to the server addresses. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Instances of the built service, with a separate PostgreSQL and Redis server. */
export class Fleet {
  readonly instances: ServiceProcess[] = [];

  private constructor(
    readonly postgres: PostgresServer,
    readonly redis: RedisServer,
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start({ instances = 3, maxConnections = 100, env = {} }: FleetOptions = {}): Promise<Fleet> {
    const [postgres, redis] = await Promise.all([PostgresServer.start({ maxConnections }), RedisServer.start()]);
    const DATABASE_URL = await postgres.createDatabase('petstore');
    const fleet = new Fleet(postgres, redis, makeFolder(), { DATABASE_URL, ...redis.env, ...env });
    await Promise.all(Array.from({ length: instances }, () => fleet.launch()));
    return fleet;
  }

  get ports(): number[] {
    return this.instances.map(({ port }) => port);
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

  /** Creates a key with the keys command line. `terms` are its options, without `--json`. */
  async createKey(account: string, ...terms: string[]): Promise<Pick<IssuedKey, 'id' | 'key'>> {
    const { code, stdout, stderr } = await this.keys('create', '--account', account, ...terms, '--json');
    if (code !== 0) throw new Error(`No key was made: ${stderr}`);
    return JSON.parse(stdout) as IssuedKey;
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
    this.postgres.resume();
    this.redis.resume();
    await Promise.all(this.instances.map((instance) => instance.stop('SIGKILL')));
    await Promise.all([this.postgres.stop(), this.redis.stop(), removeDatabase(this.folder)]);
  }
}

/** Options for a key with a plan that no test exhausts. */
export const AMPLE_PLAN = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];

/** Settings under which no test exhausts the limits for requests without a key. */
export const OPEN_TO_ANYBODY = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' };
