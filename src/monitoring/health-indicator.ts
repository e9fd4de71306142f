import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/database.js';
import { RedisClient } from '../platform/redis/redis-client.js';

/**
 * A dependency of readiness. Create its result with `HealthIndicatorService` of `@nestjs/terminus`: `down` makes the
 * service not ready, `degraded` only informs operators. A check that takes more than 0.4 seconds makes the service not ready
 * too.
 */
export interface HealthIndicator {
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}

@Injectable()
export class DatabaseHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    // If it fails, the response is the one of any request while the database is unavailable.
    await this.database.ping();
    return this.indicators.check('database').up();
  }
}

@Injectable()
export class RedisHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    @Optional() private readonly redis?: RedisClient,
  ) {}

  /** Without Redis, the service serves all requests but uses local counters. Empty if Redis is not configured. */
  check(): HealthIndicatorResult {
    if (this.redis === undefined) return {};
    const indicator = this.indicators.check('redis');
    return this.redis.isUp ? indicator.up() : indicator.degraded();
  }
}
