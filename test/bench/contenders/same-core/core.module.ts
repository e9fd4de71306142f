import { Module } from '@nestjs/common';
import { ACCOUNT_ENTITIES, AuthModule } from '../../../../src/auth/index.js';
import { Clock, ConfigModule, loadEnv } from '../../../../src/config/index.js';
import { DatabaseModule } from '../../../../src/database/index.js';
import { HealthModule } from '../../../../src/health/index.js';
import { IDEMPOTENCY_ENTITIES } from '../../../../src/idempotency/index.js';
import { PET_ENTITIES, PetsModule } from '../../../../src/pets/index.js';
import { AdmissionModule, COUNTER_ENTITIES, RateLimitModule } from '../../../../src/rate-limit/index.js';

const env = loadEnv();

/** What ours is composed of, without what only Nest's own way of a request needs. */
@Module({
  imports: [
    ConfigModule.of(env, new Clock()),
    DatabaseModule.of(env, { entities: [...PET_ENTITIES, ...ACCOUNT_ENTITIES, ...COUNTER_ENTITIES, ...IDEMPOTENCY_ENTITIES] }),
    AuthModule,
    RateLimitModule,
    AdmissionModule,
    PetsModule,
    HealthModule,
  ],
})
export class CoreModule {}
