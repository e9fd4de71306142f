import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { Registry } from '@prometheus-io/client';
import { RedisModule } from '../platform/redis/redis.module.js';
import { MonitoringController } from './monitoring.controller.js';
import { ProcessMetrics } from './process-metrics.js';
import { DatabaseHealthIndicator, type HealthIndicator, Readiness, RedisHealthIndicator } from './readiness.js';
import { RequestMetrics } from './request-metrics.js';

const INDICATORS = [DatabaseHealthIndicator, RedisHealthIndicator];

/** Liveness, readiness and metrics. Any provider can add metrics to @prometheus-io/client's registry. */
@Global()
@Module({ imports: [TerminusModule, RedisModule], controllers: [MonitoringController] })
export class MonitoringModule {
  static forRoot(registry: Registry, added: readonly Type<HealthIndicator>[] = []): DynamicModule {
    const useFactory = (modules: ModuleRef) => new Readiness(modules, [...INDICATORS, ...added]);
    return {
      module: MonitoringModule,
      providers: [
        ...INDICATORS,
        { provide: Readiness, useFactory, inject: [ModuleRef] },
        { provide: Registry, useValue: registry },
        ProcessMetrics,
        RequestMetrics,
      ],
      exports: [Readiness, Registry, RequestMetrics],
    };
  }
}
