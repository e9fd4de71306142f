import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule, BearerGuard } from './auth/index.js';
import { CategoriesModule } from './categories/index.js';
import { type Clock, ConfigModule, type Env, type Override } from './config/index.js';
import { DatabaseModule } from './database/index.js';
import { databaseParts } from './database-parts.js';
import { ApiExceptionFilter } from './errors/index.js';
import type { Extension } from './extensions/index.js';
import { IdempotencyModule } from './idempotency/index.js';
import { SeedModule } from './seed/index.js';
import { HealthModule } from './health/index.js';
import { KeyManagementModule } from './key-management/index.js';
import { MetricsModule } from './metrics/index.js';
import { PetsModule } from './pets/index.js';
import { PlanThrottlerGuard, RateLimitModule } from './rate-limit/index.js';
import { RehearsalInterceptor } from './staging/index.js';
import { StoreModule } from './store/index.js';
import { UsageModule } from './usage/index.js';
import { allRequestFaults, RequestValidationPipe } from './validation/index.js';

/** What the application is made of. */
export interface AppParts {
  readonly env: Env;
  readonly clock: Clock;
  readonly extensions: readonly Extension[];
  readonly overrides: readonly Override[];
}

/** The composition root: all modules, and the global guards, pipe and filter in their order. */
@Module({})
export class AppModule {
  /** @param scopes that keys can be given over HTTP */
  static of({ env, clock, extensions, overrides }: AppParts, scopes: readonly string[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(env, clock, overrides),
        DatabaseModule.of(env, databaseParts(extensions)),
        MetricsModule,
        AuthModule,
        RateLimitModule,
        IdempotencyModule,
        PetsModule,
        CategoriesModule,
        UsageModule,
        KeyManagementModule.of(scopes),
        HealthModule.of(extensions.flatMap(({ healthIndicators = [] }) => healthIndicators)),
        SeedModule,
        StoreModule,
        ...extensions.map(({ module }) => module),
      ],
      providers: [
        { provide: APP_FILTER, useFactory: () => new ApiExceptionFilter(allRequestFaults) },
        { provide: APP_GUARD, useExisting: BearerGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        ...(env.ENVIRONMENT === 'staging' ? [{ provide: APP_INTERCEPTOR, useClass: RehearsalInterceptor }] : []),
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
