import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MetricsController } from './metrics.controller.js';
import { RequestMetrics } from './request-metrics.js';

/** Sums of what other gauges have by type, under names that are for counters. */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Provides prom-client's registry, to which any provider can add metrics, and the route that Prometheus scrapes. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [{ provide: Registry, useFactory: createRegistry }, RequestMetrics],
  exports: [Registry, RequestMetrics],
})
export class MetricsModule {}

/** With the metrics of the process, including the delay of its event loop. */
function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_GAUGES) registry.removeSingleMetric(name);
  return registry;
}
