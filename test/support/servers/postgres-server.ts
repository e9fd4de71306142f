import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync, rmSync } from 'node:fs';
import { queryOnce } from '../../../src/testing/query-once.js';
import { makeFolder } from '../temporary.js';
import { onFreePort } from './free-port.js';
import { signalTree, untilUp } from './server-process.js';

export interface PostgresOptions {
  /** Maximum number of connections. PostgreSQL reserves three of them for superusers, such as the tests. */
  readonly maxConnections?: number;
  /** Whether a commit waits for the disk. Default: `true`. */
  readonly fsync?: boolean;
}

/** A PostgreSQL server for one test, which can pause, kill and restart it on the same data. Linux only. */
export class PostgresServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string | number>>,
  ) {}

  /** Creates an empty cluster with a linguistic collation, and starts it on a free port without passwords. */
  static async start({ maxConnections = 100, fsync = true }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = makeFolder();
    const { uid, gid } = identity();
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
    const language = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
    const flags = ['--username=postgres', '--auth=trust', ...language, '--no-sync', '--no-instructions'];
    execFileSync('initdb', ['--pgdata', folder, ...flags], {
      ...identity(),
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return onFreePort(async (port) => {
      const server = new PostgresServer(port, folder, {
        port,
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        max_connections: maxConnections,
        shared_buffers: '32MB',
        fsync: fsync ? 'on' : 'off',
      });
      await server.launch();
      return server;
    }, 'Address already in use');
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

  query<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    return queryOnce<Row>(this.url(database), sql);
  }

  /** Kills its remaining processes, and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  /** Pauses all its processes. Connections stay open and silent. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Kills all its processes at once, like a power failure. */
  kill(): Promise<void> {
    return this.end(() => this.signal('SIGKILL'));
  }

  /** Shuts the server down, without waiting for clients. */
  shutDown(): Promise<void> {
    return this.end((child) => child.kill('SIGINT'));
  }

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
    this.child = child;
    await untilUp(child, () => this.query('SELECT 1'));
  }

  private async end(signal: (child: ChildProcess) => void): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Its processes share the pipe, which closes when the last one ends.
    const closed = once(child, 'close');
    signal(child);
    await closed;
    this.child = undefined;
  }

  private signal(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid !== undefined) signalTree(pid, signal);
  }
}

/** PostgreSQL refuses to run as root, so it runs as the user that its package creates. */
export function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:([0-9]+):([0-9]+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined) throw new Error('To run PostgreSQL as root, the system needs a user named postgres.');
  return { uid: Number(uid), gid: Number(gid) };
}
