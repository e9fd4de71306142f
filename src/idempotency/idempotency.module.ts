import { Global, Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { RecordExpiry } from './record-expiry.js';

/** Global, because the interceptor of every POST, in any module, needs the repository. */
@Global()
@Module({ providers: [IdempotencyRepository, RecordExpiry], exports: [IdempotencyRepository] })
export class IdempotencyModule {}
