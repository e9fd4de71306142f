import { Module } from '@nestjs/common';
import { Idempotency } from './idempotency.service.js';
import { RecordExpiry } from './record-expiry.js';

/** For modules whose POSTs clients may send again. */
@Module({ providers: [Idempotency, RecordExpiry], exports: [Idempotency] })
export class IdempotencyModule {}
