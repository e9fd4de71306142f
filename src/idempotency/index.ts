import { IdempotencyRecord } from './idempotency-record.entity.js';

export { IdempotencyInterceptor, inUse, makeIdempotent, reused } from './idempotency.interceptor.js';
export { IdempotencyModule } from './idempotency.module.js';
export { IDEMPOTENCY_KEY_PARAMETER, idempotentRequest } from './idempotent-request.js';
export { RecordExpiry } from './record-expiry.js';

/** The table of idempotency. */
export const IDEMPOTENCY_ENTITIES = [IdempotencyRecord];
