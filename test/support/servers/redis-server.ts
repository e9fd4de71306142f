import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { makeFolder } from '../temporary.js';
import { onFreePort } from './free-port.js';
import { untilUp } from './server-process.js';

/** A Redis server for one test, which can pause, kill and flush it. It stores nothing on disk. */
export class RedisServer {
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: readonly string[],
  ) {}

  /** @param settings more arguments for redis-server, such as `--requirepass` and its value */
  static async start(...settings: readonly string[]): Promise<RedisServer> {
    const folder = makeFolder();
    return onFreePort(async (port) => {
      const server = new RedisServer(port, folder, settings);
      await server.launch();
      return server;
    }, 'Failed listening on port');
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.process !== undefined;
  }

  /** Settings of a service that uses this server. The timeout is long enough for a busy machine. */
  get env(): Readonly<Record<'REDIS_URL' | 'REDIS_TIMEOUT_MS', string>> {
    return { REDIS_URL: this.url, REDIS_TIMEOUT_MS: '5000' };
  }

  /** Stops responding until it is resumed. Connections stay open. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    const running = this.process;
    if (running === undefined) return;
    this.process = undefined;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  }

  /** Starts it again on the same port, empty. */
  async restart(): Promise<void> {
    await this.kill();
    await this.launch();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async call(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const at = this.settings.indexOf('--requirepass');
    const client = new Redis(this.port, '127.0.0.1', {
      lazyConnect: true,
      retryStrategy: () => null,
      disconnectTimeout: 0,
      ...(at < 0 ? {} : { password: this.settings[at + 1] ?? '' }),
    });
    try {
      await client.connect();
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  }

  private async launch(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
    this.process = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no', ...this.settings], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(this.process, 'spawn');
    await untilUp(this.process, () => this.call('PING'));
  }
}
