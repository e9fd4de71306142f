import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { signalTree } from './process-tree.js';

const START_DEADLINE_MS = 20_000;

export interface PostgresOptions {
  /** Connections in all; PostgreSQL keeps three of them for superusers, which tests are. */
  readonly maxConnections?: number;
  /** Whether a commit waits for the disk, as it does by default. */
  readonly fsync?: boolean;
}

/** A PostgreSQL server of a test's own, which it may pause, kill and start again on the same data. Linux only. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string | number>>,
  ) {}

  /** Makes an empty cluster, which sorts as people do, as most are made, and serves it on a free port without passwords. */
  static async start({ maxConnections = 100, fsync = true }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
    const { uid, gid } = identity();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const language = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
    const flags = [
      '--pgdata',
      folder,
      '--username=postgres',
      '--auth=trust',
      ...language,
      '--no-sync',
      '--no-instructions',
    ];
    execFileSync('initdb', flags, { ...identity(), cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const port = await freePort();
    const place = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
    const server = new PostgresServer(port, folder, {
      ...place,
      max_connections: maxConnections,
      shared_buffers: '32MB',
      fsync: fsync ? 'on' : 'off',
    });
    await server.launch();
    return server;
  }

  /** Value of DATABASE_URL for a database of this server. */
  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** @param database a plain lower-case name */
  async createDatabase(database: string): Promise<string> {
    await this.query(`CREATE DATABASE ${database}`);
    return this.url(database);
  }

  /** Runs one statement over a connection of its own. */
  async query<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database), connectionTimeoutMillis: 1_000 });
    // A server that ends while a connection is idle tells it so.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends what is left of it, and starts again on the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  /** Stops all its processes where they are; connections stay open and silent. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Ends all its processes at once, as a machine that loses power does. */
  kill(): Promise<void> {
    return this.end(() => this.signal('SIGKILL'));
  }

  /** Ends in order, without waiting for clients. */
  shutDown(): Promise<void> {
    return this.end((child) => child.kill('SIGINT'));
  }

  /** Ends the server, if it runs, and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const flags = Object.entries(this.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn('postgres', ['-D', this.folder, ...flags], {
      ...identity(),
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log = `${log}${text}`.slice(-10_000)));
    this.child = child;
    const deadlineMs = performance.now() + START_DEADLINE_MS;
    while (!(await this.isUp())) {
      if (child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(`PostgreSQL did not start:\n${log}`);
      await delay(20);
    }
  }

  private async end(signal: (child: ChildProcess) => void): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Its processes share the pipe, which closes with the last one.
    const closed = once(child, 'close');
    signal(child);
    await closed;
    this.child = undefined;
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid !== undefined) signalTree(pid, signal);
  }

  private async isUp(): Promise<boolean> {
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package makes. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:([0-9]+):([0-9]+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined) throw new Error('To run PostgreSQL as root, the system needs a user named postgres.');
  return { uid: Number(uid), gid: Number(gid) };
}
