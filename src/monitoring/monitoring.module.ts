import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { RedisModule } from '../platform/index.js';
import { DatabaseHealthIndicator, type HealthIndicator, RedisHealthIndicator } from './health-indicator.js';
import { MonitoringController } from './monitoring.controller.js';
import { HEALTH_INDICATORS, Readiness } from './readiness.js';
import { RequestMetrics } from './request-metrics.js';

const INDICATORS = [DatabaseHealthIndicator, RedisHealthIndicator];

/** Sums of what other gauges have by type, under names that are for counters. */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Liveness, readiness and metrics. Any provider can add metrics to prom-client's registry. */
@Global()
@Module({})
export class MonitoringModule {
  /** @param added health indicators of other modules */
  static forRoot(added: readonly Type<HealthIndicator>[] = []): DynamicModule {
    return {
      module: MonitoringModule,
      imports: [TerminusModule, RedisModule],
      controllers: [MonitoringController],
      providers: [
        ...INDICATORS,
        { provide: HEALTH_INDICATORS, useValue: [...INDICATORS, ...added] },
        Readiness,
        { provide: Registry, useFactory: createRegistry },
        RequestMetrics,
      ],
      exports: [Readiness, Registry, RequestMetrics],
    };
  }
}

/** With the metrics of the process, including the delay of its event loop. */
function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_GAUGES) registry.removeSingleMetric(name);
  return registry;
}
