import { expect } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RedisClient, Script } from '../../src/redis/index.js';
import { RedisServer } from '../../src/testing/redis-server.js';
import { within } from './until.js';

const INCREMENT = new Script(`
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], 60)
return value
`);
const HEALED_MS = 2_000;

/** A Redis server, links to it, and their log entries. */
export class LinkBench {
  readonly logged: string[] = [];
  private readonly links: RedisClient[] = [];

  private constructor(readonly server: RedisServer) {}

  static async start(): Promise<LinkBench> {
    const bench = new LinkBench(await RedisServer.start());
    const take = ({ message, reason = '' }: { message: string; reason?: string }) =>
      bench.logged.push(`${message}: ${reason}`);
    Logger.overrideLogger({ log: take, warn: take, error: take });
    return bench;
  }

  async open(url = this.server.url): Promise<RedisClient> {
    const link = new RedisClient({ url, prefix: 'test:', timeoutMs: 50 });
    this.links.push(link);
    await link.onModuleInit();
    return link;
  }

  closeLinks(): void {
    for (const link of this.links.splice(0)) link.onApplicationShutdown();
  }

  async stop(): Promise<void> {
    this.closeLinks();
    Logger.overrideLogger(false);
    await this.server.stop();
  }

  /** Returns a number from the server's INFO. */
  async statistic(name: string): Promise<number> {
    return Number(new RegExp(`${name}:([0-9]+)`).exec(String(await this.server.call('INFO', 'stats')))?.[1]);
  }
}

/** Adds to a counter in Redis. Returns the new value, or `alone`. */
export function count(link: RedisClient, key = 'test:counter', by = 1) {
  return link.call<unknown>({
    script: INCREMENT,
    keys: [key],
    args: [by],
    read: (reply) => reply,
    fallback: () => 'alone',
  });
}

/** Expects a condition to become true within the recovery time of a link. */
export async function eventually(condition: () => boolean): Promise<void> {
  expect((await within(HEALED_MS, condition, (holds) => holds)).result).toBe(true);
}
