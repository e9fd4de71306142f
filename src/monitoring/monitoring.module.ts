import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Registry } from 'prom-client';
import { RedisModule } from '../platform/redis/redis.module.js';
import { DatabaseHealthIndicator, type HealthIndicator, RedisHealthIndicator } from './health-indicator.js';
import { MonitoringController } from './monitoring.controller.js';
import { HEALTH_INDICATORS, Readiness } from './readiness.js';
import { ProcessMetrics } from './process-metrics.js';
import { RequestMetrics } from './request-metrics.js';

const INDICATORS = [DatabaseHealthIndicator, RedisHealthIndicator];

/** Liveness, readiness and metrics. Any provider can add metrics to prom-client's registry. */
@Global()
@Module({})
export class MonitoringModule {
  static forRoot(registry: Registry, added: readonly Type<HealthIndicator>[] = []): DynamicModule {
    return {
      module: MonitoringModule,
      imports: [TerminusModule, RedisModule],
      controllers: [MonitoringController],
      providers: [
        ...INDICATORS,
        { provide: HEALTH_INDICATORS, useValue: [...INDICATORS, ...added] },
        Readiness,
        { provide: Registry, useValue: registry },
        ProcessMetrics,
        RequestMetrics,
      ],
      exports: [Readiness, Registry, RequestMetrics],
    };
  }
}
