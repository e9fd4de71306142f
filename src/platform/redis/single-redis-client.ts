import { Redis } from 'ioredis';
import { RedisClient, type RedisEnv } from './redis-client.js';
import { checkServer, credentialsOf, redisOptions } from './redis-server.js';

/**
 * The client of one server, which sentinels may name. After a timeout or an error that others would get too, it is down and
 * closes the connection, so that calls in flight use their fallbacks at once. It connects again, and is up when its probes
 * succeed.
 */
export class SingleRedisClient extends RedisClient {
  protected readonly redis: Redis;

  /** @param currentUrl returns the URL with the user and the password for the next connection */
  constructor(url: string, env: RedisEnv, currentUrl = () => url) {
    super(env);
    const options = redisOptions(url, env.REDIS_TIMEOUT_MS);
    this.redis = options.sentinels === undefined ? new Redis(url, options) : new Redis(options);
    // An error event comes before the end of the connection.
    let reason: Error | undefined;
    this.redis.on('error', (error: Error) => (reason = error));
    this.redis.on('close', () => {
      Object.assign(this.redis.options, credentialsOf(currentUrl()));
      this.lose(reason ?? new Error('the connection was closed'));
      reason = undefined;
    });
  }

  /** Commands are written at once, which saves a tenth of a request. Replies come in their order, so nobody waits for the reading. */
  protected override beginTurn(): void {
    const { stream } = this.redis;
    stream.cork();
    process.nextTick(() => stream.uncork());
    void this.read();
  }

  protected override async check(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const { isUp } = this;
    try {
      if (!isUp) await checkServer(this.redis, this.prefix);
      await this.checkOwner();
      await this.runProbes(1);
      if (isUp) return;
      await this.prepare();
      this.log.available();
    } catch (error) {
      this.lose(error as Error);
    }
  }

  protected override lose(error: Error): void {
    super.lose(error);
    // Reconnects. `disconnect` would wait for Redis.
    if (this.redis.status === 'ready') this.redis.stream.destroy();
  }
}
