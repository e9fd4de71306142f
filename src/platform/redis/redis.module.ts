import { Injectable, Module, Optional } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { Clock } from '../config/clock.js';
import { Env } from '../config/env.js';
import { currentSecret } from '../config/load-env.js';
import { CLUSTER_URL } from '../config/setting.decorators.js';
import { RedisClient, type RedisEnv } from './redis-client.js';
import { RedisClusterClient } from './redis-cluster-client.js';
import { SingleRedisClient } from './single-redis-client.js';

/** @param currentUrl returns the URL with the user and the password for the next connection */
export function createRedisClient(url: string, env: RedisEnv, currentUrl?: () => string): RedisClient {
  return new (CLUSTER_URL.test(url) ? RedisClusterClient : SingleRedisClient)(url, env, currentUrl);
}

@Injectable()
class RedisMetrics {
  constructor(clock: Clock, @Optional() registry?: Registry, @Optional() redis?: RedisClient) {
    // Command lines have no metrics.
    if (redis === undefined || registry === undefined) return;
    const up: Gauge = new Gauge({
      name: 'petstore_redis_up',
      help: 'Share of the Redis servers that this instance counts in: 0 if it uses local counters only.',
      registers: [registry],
      collect: () => up.set(redis.shareUp),
    });
    const roundTrips = new Histogram({
      name: 'petstore_redis_round_trip_seconds',
      help: 'Duration of a GET of Redis, which is sent five times a second.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
      registers: [registry],
    });
    redis.onRoundTrip = (seconds) => roundTrips.observe(seconds);
    const difference = new Gauge({
      name: 'petstore_redis_clock_difference_seconds',
      help: 'How far the clock of this instance is ahead of that of Redis, to within a second.',
      registers: [registry],
    });
    redis.onTime = (seconds) => difference.set(clock.nowSeconds() - seconds);
    const fallbacks: Counter = new Counter({
      name: 'petstore_redis_fallbacks_total',
      help: 'Decisions made with local counters because Redis was unavailable or refused a command.',
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
      useFactory: (env: Env) => {
        const { REDIS_URL: url } = env;
        return url && createRedisClient(url, env, () => currentSecret(env, 'REDIS_URL') ?? url);
      },
    },
    RedisMetrics,
  ],
  exports: [RedisClient],
})
export class RedisModule {}
