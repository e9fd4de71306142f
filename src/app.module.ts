import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ApiKeysModule, Retention } from './accounts/index.js';
import { AuthModule, BearerGuard } from './auth/index.js';
import { CategoriesModule } from './categories/index.js';
import { type Clock, ConfigModule, type Env } from './platform/index.js';
import { DatabaseModule } from './database/index.js';
import { databaseParts } from './database-parts.js';
import { ApiExceptionFilter, IdempotencyModule, RequestValidationPipe } from './http/index.js';
import type { Extension } from './extensions/index.js';
import { createRegistry, MonitoringModule } from './monitoring/index.js';
import { SelfServiceModule } from './self-service/index.js';
import { PetsModule } from './pets/index.js';
import { PlanThrottlerGuard, RateLimitModule } from './rate-limit/index.js';
import { RehearsalInterceptor } from './openapi/index.js';
import { SampleData } from './sample-data.js';
import { StoreModule } from './store/index.js';

interface AppParts {
  readonly env: Env;
  readonly clock: Clock;
  readonly extensions: readonly Extension[];
}

/** Lets extensions inject `KeyVerifier` and `CounterStore` without importing their modules, which are not global. */
@Global()
@Module({ imports: [AuthModule, RateLimitModule], exports: [AuthModule, RateLimitModule] })
class InjectableModule {}

/** The composition root: all modules, and the global guards, pipe and filter in their order. */
@Module({})
export class AppModule {
  static forRoot({ env, clock, extensions }: AppParts): DynamicModule {
    const registry = createRegistry();
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(env, clock),
        DatabaseModule.forRoot(env, databaseParts(extensions), registry),
        MonitoringModule.forRoot(
          registry,
          extensions.flatMap(({ healthIndicators = [] }) => healthIndicators),
        ),
        ApiKeysModule,
        InjectableModule,
        IdempotencyModule,
        PetsModule,
        CategoriesModule,
        SelfServiceModule,
        StoreModule,
        ...extensions.map(({ module }) => module),
      ],
      providers: [
        SampleData,
        Retention,
        ApiExceptionFilter,
        { provide: APP_FILTER, useExisting: ApiExceptionFilter },
        { provide: APP_GUARD, useExisting: BearerGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        ...(env.ENVIRONMENT === 'staging' ? [{ provide: APP_INTERCEPTOR, useClass: RehearsalInterceptor }] : []),
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
