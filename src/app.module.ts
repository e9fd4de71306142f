import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AuthModule, BearerGuard } from './auth/index.js';
import { CategoriesModule } from './categories/index.js';
import { type Clock, ConfigModule, type Env } from './config/index.js';
import { DatabaseModule, type DatabaseParts } from './database/index.js';
import { databaseParts } from './database-parts.js';
import { ApiExceptionFilter } from './errors/index.js';
import { FirstRunModule } from './first-run/index.js';
import { HealthModule } from './health/index.js';
import { KeyManagementModule } from './key-management/index.js';
import { PetsModule } from './pets/index.js';
import { AdmissionModule, PlanThrottlerGuard, RateLimitModule } from './rate-limit/index.js';
import { STORE } from './store/index.js';
import { UsageModule } from './usage/index.js';
import { UndeclaredQueryGuard } from './validation/index.js';

/** What a team adds to the service without editing it: a Nest module, and its entities and migrations if it has any. */
export interface Extension extends Partial<DatabaseParts> {
  readonly module: Type | DynamicModule;
}

/** The composition root: all modules, and the global guards and filter in the order in which they act. */
@Module({})
export class AppModule {
  static of(env: Env, clock: Clock, extensions: readonly Extension[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(env, clock),
        DatabaseModule.of(env, databaseParts(extensions)),
        AuthModule,
        RateLimitModule,
        AdmissionModule,
        PetsModule,
        CategoriesModule,
        UsageModule,
        KeyManagementModule,
        HealthModule,
        FirstRunModule,
        ...[STORE, ...extensions].map(({ module }) => module),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ApiExceptionFilter },
        { provide: APP_GUARD, useClass: BearerGuard },
        { provide: APP_GUARD, useClass: PlanThrottlerGuard },
        { provide: APP_GUARD, useClass: UndeclaredQueryGuard },
      ],
    };
  }
}
