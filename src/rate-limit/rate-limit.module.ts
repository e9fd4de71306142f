import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock, Env } from '../config/index.js';
import { AdmissionTally } from './admission-tally.js';
import { CounterPersistence } from './counter-persistence.js';
import { CounterStore } from './counter-store.js';
import { MemoryCounterStore } from './memory-counter-store.js';

/**
 * The counters. Not global, since global modules are shut down last: counts are written before the database goes.
 */
@Module({
  // Only for the guard's constructor: its limits are the plans' and those of routes.
  imports: [ThrottlerModule.forRoot([])],
  providers: [
    {
      provide: MemoryCounterStore,
      inject: [Clock, Env],
      useFactory: (clock: Clock, env: Env) => new MemoryCounterStore(clock, env),
    },
    { provide: CounterStore, useExisting: MemoryCounterStore },
    CounterPersistence,
    AdmissionTally,
  ],
  exports: [CounterStore, AdmissionTally],
})
export class RateLimitModule {}
