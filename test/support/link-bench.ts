import { expect } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisClient, RunScript } from '../../src/platform/redis/redis-client.js';
import { createRedisClient } from '../../src/platform/redis/redis.module.js';
import { noteRequest } from '../../src/platform/recurring-task.js';
import { RedisServer } from './servers/redis-server.js';
import { within } from './until.js';

const INCREMENT = `
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], 60)
return value
`;
const HEALED_MS = 2_000;
export const TIMEOUT_MS = 500;
/** No machine is so busy that a Redis that is available takes longer. */
export const LONG_TIMEOUT_MS = 30_000;

const increments = new WeakMap<RedisClient, RunScript>();

/** A Redis server, links to it, and their log entries. */
export class LinkBench {
  readonly logged: string[] = [];
  private readonly links: RedisClient[] = [];

  private constructor(
    readonly server: RedisServer,
    private readonly timeoutMs: number,
  ) {}

  /** @param timeoutMs after which its links take Redis for unavailable */
  static async start(timeoutMs = TIMEOUT_MS, ...settings: readonly string[]): Promise<LinkBench> {
    const bench = new LinkBench(await RedisServer.start(...settings), timeoutMs);
    const take = ({ message, reason = '' }: { message: string; reason?: string }) =>
      bench.logged.push(`${message}: ${reason}`);
    Logger.overrideLogger({ log: take, warn: take, error: take });
    return bench;
  }

  /** @param prepare called before the client connects */
  async open(
    url = this.server.url,
    prepare: (link: RedisClient) => void = () => {},
    timeoutMs = this.timeoutMs,
    currentUrl?: () => string,
  ): Promise<RedisClient> {
    const link = createRedisClient(url, { REDIS_PREFIX: 'test:', REDIS_TIMEOUT_MS: timeoutMs }, currentUrl);
    increments.set(
      link,
      link.defineScript('increment', { numberOfKeys: 1, lua: INCREMENT }, (number) => [`test:probe:${number}`, 1]),
    );
    this.links.push(link);
    prepare(link);
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

  /** What one of the sentinels in a URL knows. */
  async sentinelInfo(url: string, index: number): Promise<string> {
    const port = Number([...url.matchAll(/:(\d+)/g)][index]?.[1]);
    const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    try {
      await client.connect();
      return await client.info('sentinel');
    } finally {
      client.disconnect();
    }
  }

  /** Returns a number from the server's INFO. */
  async statistic(name: string): Promise<number> {
    return Number(new RegExp(`${name}:([0-9]+)`).exec(String(await this.server.call('INFO', 'stats')))?.[1]);
  }
}

/** Adds to a counter in Redis. Returns the new value, or `alone`. */
export function count(link: RedisClient, key = 'test:counter', by = 1): unknown {
  return link.call<unknown>(
    async () => increments.get(link)?.(key, by),
    () => 'alone',
  );
}

/** Expects a condition to become true within the recovery time of a link, while there are requests. */
export async function eventually(condition: () => boolean): Promise<void> {
  const withRequest = () => {
    noteRequest();
    return condition();
  };
  expect(await within(HEALED_MS, withRequest, (holds) => holds)).toBe(true);
}

export function block(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}
