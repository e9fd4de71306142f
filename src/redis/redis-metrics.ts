import { Injectable, Optional } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { RedisClient } from './redis-client.js';

/** The metrics of Redis, if it is configured. */
@Injectable()
export class RedisMetrics {
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
