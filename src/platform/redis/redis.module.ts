import { Injectable, Module, Optional } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { Env } from '../config/env.js';
import { RedisClient } from './redis-client.js';

/** The metrics of Redis, if it is configured. */
@Injectable()
class RedisMetrics {
  constructor(registry: Registry, @Optional() redis?: RedisClient) {
    if (redis === undefined) return;
    const up: Gauge = new Gauge({
      name: 'petstore_redis_up',
      help: 'Whether this instance uses the counters in Redis (1) or local counters (0).',
      registers: [registry],
      collect: () => up.set(redis.isUp ? 1 : 0),
    });
    const fallbacks: Counter = new Counter({
      name: 'petstore_redis_fallbacks_total',
      help: 'Decisions made with local counters while Redis was unavailable.',
      registers: [registry],
      collect: () => {
        fallbacks.reset();
        fallbacks.inc(redis.fallbacks);
      },
    });
  }
}

/** The Redis client; undefined if Redis is not configured. */
@Module({
  providers: [
    {
      provide: RedisClient,
      inject: [Env],
      useFactory: ({ REDIS_URL: url, REDIS_PREFIX: prefix, REDIS_TIMEOUT_MS: timeoutMs }: Env) =>
        url === undefined ? undefined : new RedisClient({ url, prefix, timeoutMs }),
    },
    RedisMetrics,
  ],
  exports: [RedisClient],
})
export class RedisModule {}
