import type { HealthIndicatorResult } from '@nestjs/terminus';

/**
 * A dependency of readiness. Create its result with `HealthIndicatorService` of `@nestjs/terminus`: `down` makes the
 * service not ready, `degraded` only informs operators.
 */
export interface HealthIndicator {
  check(): HealthIndicatorResult | Promise<HealthIndicatorResult>;
}
