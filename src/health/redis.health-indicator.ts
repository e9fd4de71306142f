import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { RedisClient } from '../redis/index.js';
import type { HealthIndicator } from './health-indicator.js';

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
