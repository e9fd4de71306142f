import { Module } from '@nestjs/common';
import { IdempotencyRepository, RecordExpiry } from './idempotency.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Requests with an Idempotency-Key. The module is not global, because global modules are shut down last, after the database. */
@Module({ providers: [IdempotencyRepository, IdempotencyService, RecordExpiry], exports: [IdempotencyService] })
export class IdempotencyModule {}
