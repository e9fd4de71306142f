import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock, Env } from '../config/index.js';
import { Database } from '../database/index.js';
import { RedisLink, RedisModule } from '../redis/index.js';
import { AdmissionTally } from './admission-tally.js';
import { CounterPersistence } from './counter-persistence.js';
import { CounterStore } from './counter-store.js';
import { MemoryCounterStore } from './memory-counter-store.js';
import { RedisCounterStore } from './redis-counter-store.js';

/**
 * The counters: in Redis where one is configured, else in the process. Not global, since global modules are shut down last: counts are written before the database goes.
 */
@Module({
  // Only for the guard's constructor: its limits are the plans' and those of routes.
  imports: [ThrottlerModule.forRoot([]), RedisModule],
  providers: [
    {
      provide: MemoryCounterStore,
      inject: [Clock, Env],
      useFactory: (clock: Clock, env: Env) => new MemoryCounterStore(clock, env),
    },
    {
      provide: CounterStore,
      inject: [Env, MemoryCounterStore, RedisLink],
      useFactory: (env: Env, memory: MemoryCounterStore, link: RedisLink | undefined) =>
        link === undefined ? memory : new RedisCounterStore({ link, fallback: memory, env }),
    },
    {
      provide: CounterPersistence,
      inject: [RedisLink, Database, MemoryCounterStore, Clock],
      // What is counted while Redis is away is no one's to restore.
      useFactory: (link: RedisLink | undefined, database: Database, memory: MemoryCounterStore, clock: Clock) =>
        link === undefined ? new CounterPersistence(database, memory, clock) : undefined,
    },
    AdmissionTally,
  ],
  exports: [CounterStore, AdmissionTally],
})
export class RateLimitModule {}
