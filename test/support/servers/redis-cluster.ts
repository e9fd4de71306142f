import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../until.js';
import { freePort } from './free-port.js';
import { RedisServer } from './redis-server.js';

const MASTERS = 3;
/** After this time without a response, the others elect a replica of a master: a server of a busy machine is not gone. */
const NODE_TIMEOUT_MS = 60_000;
/** The same while one is gone. */
const ELECTION_TIMEOUT_MS = 1_000;

/** A Redis Cluster of three masters and a replica of each. */
export class RedisCluster {
  private constructor(readonly servers: readonly RedisServer[]) {}

  /** @param settings more arguments for each redis-server */
  static async start(...settings: readonly string[]): Promise<RedisCluster> {
    const servers: RedisServer[] = [];
    while (servers.length < 2 * MASTERS) {
      // The default port of the cluster bus is in the range of outgoing connections, one of which may use it.
      const bus = ['--cluster-port', String(await freePort()), '--cluster-node-timeout', String(NODE_TIMEOUT_MS)];
      const parts = ['--cluster-require-full-coverage', 'no', '--cluster-allow-replica-migration', 'no'];
      servers.push(await RedisServer.start('--cluster-enabled', 'yes', ...bus, ...parts, ...settings));
    }
    const cluster = new RedisCluster(servers);
    const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
    await cluster.manage('create', ...addresses, '--cluster-replicas', '1', '--cluster-yes');
    await until(async () =>
      (await cluster.infos('INFO', 'REPLICATION')).every((text) => /state=online|status:up/.test(text)),
    );
    await until(async () =>
      (await cluster.infos('CLUSTER', 'INFO')).every((text) => text.includes('cluster_state:ok')),
    );
    return cluster;
  }

  get url(): string {
    return `redis+cluster://${this.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** Settings of a service that uses it. The timeout is long enough for a busy machine: what is killed refuses connections. */
  get env(): Readonly<Record<'REDIS_URL' | 'REDIS_TIMEOUT_MS', string>> {
    return { REDIS_URL: this.url, REDIS_TIMEOUT_MS: '10000' };
  }

  /** The server that has the slot of a key, as another one says. */
  async masterOf(key: string): Promise<RedisServer> {
    const asked = this.servers.find(({ isRunning }) => isRunning);
    const slot = Number(await asked?.call('CLUSTER', 'KEYSLOT', key));
    const slots = (await asked?.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const [, , master] = slots.find(([first, last]) => first <= slot && slot <= last) ?? [];
    const found = this.servers.find(({ port }) => port === master?.[1]);
    if (found === undefined) throw new Error(`No server has the slot of ${key}.`);
    return found;
  }

  async kill(key: string): Promise<RedisServer> {
    const server = await this.masterOf(key);
    await server.kill();
    await this.setNodeTimeout(ELECTION_TIMEOUT_MS);
    return server;
  }

  /** Waits until the replica of a server that was killed has its slots, such as that of a key. */
  async failover(killed: RedisServer, key: string): Promise<void> {
    await until(async () => (await this.masterOf(key)) !== killed);
  }

  /** Waits until the replica of the server of a key has all it has. */
  async replicated(key: string): Promise<void> {
    const server = await this.masterOf(key);
    await until(async () => {
      const info = String(await server.call('INFO', 'REPLICATION'));
      const [, sent] = /master_repl_offset:(\d+)/.exec(info) ?? [];
      return info.includes(`offset=${sent},`);
    });
  }

  /** Starts a server that was killed again, as a replica, and waits until it follows its master. */
  async rejoin(server: RedisServer): Promise<void> {
    await server.restart();
    await until(async () =>
      (await this.infos('INFO', 'REPLICATION')).every((text) => /state=online|status:up/.test(text)),
    );
    await this.setNodeTimeout(NODE_TIMEOUT_MS);
  }

  async flush(): Promise<void> {
    for (const server of await this.masters()) await server.call('FLUSHALL');
  }

  /** Moves slots from one master to another, with their keys. */
  async move(slots: number, from: RedisServer, to: RedisServer): Promise<void> {
    const [source, target] = await Promise.all(
      [from, to].map(async (one) => String(await one.call('CLUSTER', 'MYID'))),
    );
    const ends = ['--cluster-from', source ?? '', '--cluster-to', target ?? ''];
    await this.manage('reshard', `127.0.0.1:${to.port}`, ...ends, '--cluster-slots', String(slots), '--cluster-yes');
  }

  private async masters(): Promise<RedisServer[]> {
    const running = this.servers.filter(({ isRunning }) => isRunning);
    const roles = await Promise.all(running.map(async (server) => String(await server.call('ROLE'))));
    return running.filter((_, index) => roles[index]?.startsWith('master'));
  }

  private async manage(...args: readonly string[]): Promise<void> {
    await promisify(execFile)('redis-cli', ['--cluster', ...args]);
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop();
  }

  private async setNodeTimeout(ms: number): Promise<void> {
    const running = this.servers.filter(({ isRunning }) => isRunning);
    await Promise.all(running.map((server) => server.call('CONFIG', 'SET', 'cluster-node-timeout', String(ms))));
  }

  private infos(command: string, about: string): Promise<string[]> {
    return Promise.all(this.servers.map(async (server) => String(await server.call(command, about))));
  }
}
