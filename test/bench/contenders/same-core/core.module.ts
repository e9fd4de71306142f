import { Module } from '@nestjs/common';
import { ACCOUNT_ENTITIES } from '../../../../src/accounts/index.js';
import { API_KEY_ENTITIES } from '../../../../src/api-keys/index.js';
import { AuthModule } from '../../../../src/auth/index.js';
import { Clock, ConfigModule, loadEnv } from '../../../../src/config/index.js';
import { DatabaseModule } from '../../../../src/database/index.js';
import { IDEMPOTENCY_ENTITIES } from '../../../../src/idempotency/index.js';
import { MetricsModule } from '../../../../src/metrics/index.js';
import { PET_ENTITIES, PetsModule } from '../../../../src/pets/index.js';
import { COUNTER_ENTITIES, RateLimitModule } from '../../../../src/rate-limit/index.js';

const env = loadEnv();

/** The modules of our service, without those that only Nest's request pipeline needs. */
@Module({
  imports: [
    ConfigModule.of(env, new Clock()),
    DatabaseModule.of(env, {
      entities: [
        ...PET_ENTITIES,
        ...ACCOUNT_ENTITIES,
        ...API_KEY_ENTITIES,
        ...COUNTER_ENTITIES,
        ...IDEMPOTENCY_ENTITIES,
      ],
    }),
    AuthModule,
    RateLimitModule,
    PetsModule,
    MetricsModule,
  ],
})
export class CoreModule {}
