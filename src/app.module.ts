import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccountsModule } from './accounts/accounts.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import type { Clock } from './platform/config/clock.js';
import { ConfigModule } from './platform/config/config.module.js';
import type { Env } from './platform/config/env.js';
import { EventDeliveryModule } from './database/events/delivery/event-delivery.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ApiExceptionFilter } from './http/errors/api-exception.filter.js';
import { IdempotencyModule } from './http/idempotency/idempotency.module.js';
import { RequestValidationPipe } from './http/validation/request-validation.pipe.js';
import { UndeclaredQueryGuard } from './http/validation/undeclared-query.guard.js';
import type { Extension } from './extensions/extension.js';
import { createRegistry } from './monitoring/process-metrics.js';
import { MonitoringModule } from './monitoring/monitoring.module.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RehearsalInterceptor } from './openapi/rehearsal.interceptor.js';
import { CategoriesModule } from './categories/index.js';
import { databaseParts } from './database-parts.js';
import { EventFeedModule } from './event-feed/index.js';
import { PetsModule } from './pets/index.js';
import { SampleData } from './sample-data.js';
import { StoreModule } from './store/index.js';
import { WebhooksModule } from './webhooks/index.js';

/** Lets extensions inject `KeyVerifier` and `CounterStore` without importing their modules, which are not global. */
@Global()
@Module({ imports: [AuthModule, RateLimitModule], exports: [AuthModule, RateLimitModule] })
class InjectableModule {}

/** The composition root: all modules, and the global guards, pipe and filter in their order. */
@Module({})
export class AppModule {
  static forRoot(env: Env, clock: Clock, extensions: readonly Extension[]): DynamicModule {
    const registry = createRegistry();
    const indicators = extensions.flatMap(({ healthIndicators = [] }) => healthIndicators);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(env, clock),
        DatabaseModule.forRoot(env, databaseParts(extensions), registry),
        MonitoringModule.forRoot(registry, indicators),
        InjectableModule,
        IdempotencyModule,
        EventDeliveryModule,
        PetsModule,
        CategoriesModule,
        AccountsModule,
        StoreModule,
        ...(env.EVENTS === 'on' ? [EventFeedModule, WebhooksModule] : []),
        ...extensions.map(({ module }) => module),
      ],
      providers: [
        SampleData,
        ApiExceptionFilter,
        { provide: APP_FILTER, useExisting: ApiExceptionFilter },
        { provide: APP_GUARD, useExisting: BearerGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        { provide: APP_GUARD, useClass: UndeclaredQueryGuard },
        ...(env.ENVIRONMENT === 'staging' ? [{ provide: APP_INTERCEPTOR, useClass: RehearsalInterceptor }] : []),
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
