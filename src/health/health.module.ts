import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/index.js';
import { RedisModule } from '../redis/index.js';
import { HealthController } from './health.controller.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

/** Liveness, readiness and metrics. */
@Module({ imports: [RateLimitModule, RedisModule], controllers: [HealthController], providers: [Metrics, Readiness], exports: [Metrics, Readiness] })
export class HealthModule {}
