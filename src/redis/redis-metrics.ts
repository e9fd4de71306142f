import { Injectable, Optional } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { RedisClient } from './redis-client.js';

/** What the metrics tell of Redis, where one is configured. */
@Injectable()
export class RedisMetrics {
  constructor(registry: Registry, @Optional() redis?: RedisClient) {
    if (redis === undefined) return;
    const up: Gauge = new Gauge({
      name: 'petstore_redis_up',
      help: 'Whether Redis counts for all instances (1), or this instance for itself (0).',
      registers: [registry],
      collect: () => up.set(redis.isUp ? 1 : 0),
    });
    const fallbacks: Counter = new Counter({
      name: 'petstore_redis_fallbacks_total',
      help: 'Decisions that were made without Redis, since it was away.',
      registers: [registry],
      collect: () => {
        fallbacks.reset();
        fallbacks.inc(redis.fallbacks);
      },
    });
  }
}
