import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryOnce } from '../../../src/testing/query-once.js';
import { makeFolder } from '../temporary.js';
import { onFreePort } from './free-port.js';
import { identity } from './postgres-server.js';
import { PostgresTestDatabase } from './postgres-test-database.js';
import { untilUp } from './server-process.js';

/** A PgBouncer in the mode `transaction`, in front of a server without passwords. */
export class PgBouncer {
  private constructor(
    private readonly port: number,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param poolSize sessions of the server for each database */
  static async start(serverUrl: string, poolSize: number): Promise<PgBouncer> {
    const { hostname, port: serverPort, username } = new URL(serverUrl);
    const folder = makeFolder();
    chmodSync(folder, 0o755);
    return onFreePort(async (port) => {
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(
        file,
        `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
      );
      const child = spawn('pgbouncer', [file], { ...identity(), stdio: ['ignore', 'ignore', 'pipe'] });
      const bouncer = new PgBouncer(port, child, folder);
      await untilUp(child, () => queryOnce(bouncer.through(new URL('/postgres', serverUrl).href), 'SELECT'));
      return bouncer;
    }, 'Address already in use');
  }

  /** The URL of a database through the pooler. */
  through(url: string): string {
    return Object.assign(new URL(url), { host: `127.0.0.1:${this.port}` }).href;
  }

  /** A new database of the server, which services use through the pooler. */
  database(serverUrl: string): PostgresTestDatabase {
    return new PooledDatabase(serverUrl, this);
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
    rmSync(this.folder, { recursive: true });
  }
}

class PooledDatabase extends PostgresTestDatabase {
  constructor(
    serverUrl: string,
    private readonly pooler: PgBouncer,
  ) {
    super(serverUrl);
  }

  override get url(): string {
    return this.pooler.through(super.url);
  }
}
