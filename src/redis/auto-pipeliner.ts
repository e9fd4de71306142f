import { Command, Redis } from 'ioredis';
import { redisOptions } from './redis-options.js';
import { type Moment, ResponseWatchdog } from './response-watchdog.js';

export type Argument = string | number;

interface Batch {
  sentAt?: Moment;
  readonly commands: Command[];
}

export interface PipeHooks {
  /** Called before the first command of a write. Commands that it sends come first. */
  readonly onBegin: () => void;
  /** Called when the connection ends or fails. */
  readonly onClose: (reason: string) => void;
}

/** One connection to Redis. It sends all commands of one turn of the event loop in one write, and queues none. */
export class AutoPipeliner {
  private readonly client: Redis;
  private readonly database: number;
  private readonly batches = new Set<Batch>();
  private batch: Batch | undefined;
  private readonly watch: ResponseWatchdog;

  /**
   * @param url see `redisOptions`
   * @param timeoutMs silence of Redis after which all commands in flight fail
   */
  constructor(
    url: string,
    timeoutMs: number,
    private readonly hooks: PipeHooks,
  ) {
    this.watch = new ResponseWatchdog(timeoutMs, {
      awaitedSince: () => this.batches.values().next().value?.sentAt,
      awaited: () => [...this.batches].reduce((sum, { commands }) => sum + commands.length, 0),
      bytesRead: () => this.client.stream.bytesRead,
      giveUp: () => this.giveUp(),
    });
    const options = redisOptions(url);
    this.database = options.db;
    this.client = new Redis(options);
    // An error event comes before the end of the connection.
    let reason: string | undefined;
    this.client.on('error', (error: Error) => (reason = error.message));
    this.client.on('close', () => {
      hooks.onClose(reason ?? 'the connection was closed');
      reason = undefined;
    });
  }

  /** Resolves when connected. Rejects if the first attempt fails; others follow. */
  connect(): Promise<void> {
    return this.client.connect();
  }

  get isConnected(): boolean {
    return this.client.status === 'ready';
  }

  /** Rejects at once without a connection, with an error of Redis, or after the timeout. */
  send(name: string, args: readonly Argument[]): Promise<unknown> {
    const batch = this.batch ?? this.begin();
    const command = new Command(name, [...args]);
    batch.commands.push(command);
    this.client.sendCommand(command);
    return command.promise;
  }

  /** Checks the database number: the client would use another one if it does not exist. */
  async selectDatabase(): Promise<void> {
    await this.send('select', [this.database]);
  }

  /** Closes the connection, which then reconnects. */
  drop(): void {
    if (this.isConnected) this.client.stream.destroy();
  }

  /** Closes the connection without reconnecting. */
  close(): void {
    this.client.disconnect();
  }

  private begin(): Batch {
    const batch: Batch = { commands: [] };
    this.batch = batch;
    const { stream } = this.client;
    stream?.cork();
    this.hooks.onBegin();
    setImmediate(() => {
      this.batch = undefined;
      stream?.uncork();
      if (stream === undefined) return;
      batch.sentAt = this.watch.begin();
      this.batches.add(batch);
      const settled = () => this.batches.delete(batch);
      batch.commands.at(-1)?.promise.then(settled, settled);
    });
    return batch;
  }

  /** Fails all commands in flight. Later replies are ignored. */
  private giveUp(): void {
    const silent = new Error('Redis does not respond');
    for (const { commands } of this.batches) for (const command of commands) command.reject(silent);
  }
}
