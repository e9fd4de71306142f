export type { HealthIndicator } from './health-indicator.js';
export { HealthModule } from './health.module.js';
export { Readiness } from './readiness.js';
