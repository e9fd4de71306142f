import { Module } from '@nestjs/common';
import { Env } from '../config/index.js';
import { RedisClient } from './redis-client.js';
import { RedisMetrics } from './redis-metrics.js';

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
