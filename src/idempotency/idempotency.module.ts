import { Global, Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { RecordExpiry } from './record-expiry.js';

/** Global, as every module that has a POST has the interceptor, which needs the repository. */
@Global()
@Module({ providers: [IdempotencyRepository, RecordExpiry], exports: [IdempotencyRepository] })
export class IdempotencyModule {}
