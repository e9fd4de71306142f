import { Module } from '@nestjs/common';
import { Registry } from '@prometheus-io/client';
import { Account } from '../../../../src/auth/keys/account.entity.js';
import { AuditRecord } from '../../../../src/auth/keys/audit-record.entity.js';
import { ApiKey } from '../../../../src/auth/keys/api-key.entity.js';
import { AuthModule } from '../../../../src/auth/auth.module.js';
import { Clock } from '../../../../src/platform/config/clock.js';
import { ConfigModule } from '../../../../src/platform/config/config.module.js';
import { loadEnv } from '../../../../src/platform/config/load-env.js';
import { DatabaseModule } from '../../../../src/database/database.module.js';
import { IdempotencyRecord } from '../../../../src/http/idempotency/idempotency-record.entity.js';
import { MonitoringModule } from '../../../../src/monitoring/monitoring.module.js';
import { UsageWindow } from '../../../../src/rate-limit/persistence/usage-window.entity.js';
import { KeyBan } from '../../../../src/rate-limit/persistence/key-ban.entity.js';
import { RateLimitModule } from '../../../../src/rate-limit/rate-limit.module.js';
import { PetEntity, PetsModule } from '../../../../src/pets/index.js';

const env = loadEnv();

/** The modules of our service, without those that only Nest's request pipeline needs. */
@Module({
  imports: [
    ConfigModule.forRoot(env, new Clock()),
    DatabaseModule.forRoot(env, {
      entities: [PetEntity, Account, AuditRecord, ApiKey, UsageWindow, KeyBan, IdempotencyRecord],
    }),
    AuthModule,
    RateLimitModule,
    PetsModule,
    MonitoringModule.forRoot(new Registry()),
  ],
})
export class CoreModule {}
