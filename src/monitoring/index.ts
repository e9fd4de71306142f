export type { HealthIndicator } from './health-indicator.js';
export { createRegistry } from './process-metrics.js';
export { MonitoringModule } from './monitoring.module.js';
export { Readiness } from './readiness.js';
export { RequestMetrics } from './request-metrics.js';
