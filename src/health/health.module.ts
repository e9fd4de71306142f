import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { RedisModule } from '../redis/index.js';
import { DatabaseHealthIndicator, type HealthIndicator, RedisHealthIndicator } from './health-indicator.js';
import { HealthController } from './health.controller.js';
import { HEALTH_INDICATORS, Readiness } from './readiness.js';

const INDICATORS = [DatabaseHealthIndicator, RedisHealthIndicator];

/** Liveness and readiness. */
@Module({})
export class HealthModule {
  /** @param added health indicators of other modules */
  static of(added: readonly Type<HealthIndicator>[] = []): DynamicModule {
    return {
      module: HealthModule,
      // The filter logs failed checks, as it logs all failed requests.
      imports: [TerminusModule.forRoot({ logger: false }), RedisModule],
      controllers: [HealthController],
      providers: [...INDICATORS, { provide: HEALTH_INDICATORS, useValue: [...INDICATORS, ...added] }, Readiness],
      exports: [Readiness],
    };
  }
}
