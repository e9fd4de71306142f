import { Module } from '@nestjs/common';
import { Database } from '../database/database.js';
import { RedisClient } from '../platform/redis/redis-client.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { SharedVersion } from '../platform/redis/shared-version.js';
import { KeyChangesPoller } from './authentication/key-changes.poller.js';
import { KeyVerifier } from './authentication/key-verifier.js';
import { LastUsedTracker } from './authentication/last-used-tracker.js';
import { BearerGuard } from './bearer.guard.js';
import { ActiveKeys } from './keys/active-keys.js';
import { ApiKeysRepository, KeyChanges } from './keys/api-keys.repository.js';

/**
 * Authentication and scopes. The module is not global, because global modules are shut down last, and last uses must be
 * written before the database is closed.
 */
@Module({
  imports: [RedisModule],
  providers: [
    ActiveKeys,
    ApiKeysRepository,
    BearerGuard,
    KeyChanges,
    KeyChangesPoller,
    KeyVerifier,
    LastUsedTracker,
    {
      provide: SharedVersion,
      inject: [RedisClient, Database],
      // In the cluster slot of the version of the catalogue.
      useFactory: (redis: RedisClient | undefined, { isEmbedded }: Database) =>
        redis === undefined || isEmbedded
          ? undefined
          : new SharedVersion(redis, `keys-version{${redis.prefix}catalogue-version}`),
    },
  ],
  exports: [ActiveKeys, ApiKeysRepository, BearerGuard, KeyChanges, KeyVerifier],
})
export class AuthModule {}
