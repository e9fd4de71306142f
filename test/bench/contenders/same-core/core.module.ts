import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Account, AuditRecord, ApiKey } from '../../../../src/accounts/index.js';
import { AuthModule } from '../../../../src/auth/index.js';
import { Clock, ConfigModule, loadEnv } from '../../../../src/platform/index.js';
import { DatabaseModule } from '../../../../src/database/index.js';
import { IdempotencyRecord } from '../../../../src/http/index.js';
import { MonitoringModule } from '../../../../src/monitoring/index.js';
import { PetEntity, PetsModule } from '../../../../src/pets/index.js';
import { UsageWindow, KeyBan, RateLimitModule } from '../../../../src/rate-limit/index.js';

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
