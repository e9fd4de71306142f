import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Clock } from '../platform/config/clock.js';
import { Env } from '../platform/config/env.js';
import { RedisClient } from '../platform/redis/redis-client.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { Database } from '../database/database.js';
import { AdmissionObserver } from './admission-observer.js';
import { CounterPersistence } from './persistence/counter-persistence.js';
import { CounterStore } from './counter-store.js';
import { KeyNetworks } from './history/key-networks.js';
import { OldUsageDeletion, UsageHistory, UsageRecorder } from './history/usage-history.js';
import { CounterSweep, MemoryCounterStore } from './memory/memory-counter-store.js';
import { PlanThrottlerGuard, ROUTE_THROTTLER } from './plan-throttler.guard.js';
import { RedisCounterStore } from './redis/redis-counter-store.js';

/**
 * The counters: in Redis if it is configured, otherwise in the process. The module is not global, because global modules are
 * shut down last, and the counts must be written before the database is closed.
 */
@Module({
  imports: [AuthModule, ROUTE_THROTTLER, RedisModule],
  providers: [
    {
      provide: MemoryCounterStore,
      inject: [Clock, Env, RedisClient],
      // Local counts from while Redis is unavailable are not kept over a restart.
      useFactory: (clock: Clock, env: Env, redis?: RedisClient) =>
        new MemoryCounterStore(clock, env, redis === undefined),
    },
    CounterSweep,
    {
      provide: CounterStore,
      inject: [MemoryCounterStore, RedisClient, Database, Env],
      useFactory: async (memory: MemoryCounterStore, redis: RedisClient | undefined, database: Database, env: Env) => {
        if (redis === undefined) return memory;
        const [{ id } = {}] = await database.query<{ id?: string }[]>('SELECT "id" FROM "database_identity"');
        // A database in memory ends with the process. Its keys have a prefix of their own, so that the next one can start.
        if (env.DATABASE_URL === 'sqlite::memory:') redis.prefix += `${id}:`;
        else redis.owner = id;
        return new RedisCounterStore(redis, memory);
      },
    },
    {
      provide: CounterPersistence,
      inject: [RedisClient, Database, MemoryCounterStore, Clock],
      useFactory: (redis: RedisClient | undefined, database: Database, memory: MemoryCounterStore, clock: Clock) =>
        redis === undefined ? new CounterPersistence(database, memory, clock) : undefined,
    },
    AdmissionObserver,
    KeyNetworks,
    UsageRecorder,
    UsageHistory,
    OldUsageDeletion,
    PlanThrottlerGuard,
  ],
  exports: [CounterStore, PlanThrottlerGuard, UsageHistory, UsageRecorder],
})
export class RateLimitModule {}
