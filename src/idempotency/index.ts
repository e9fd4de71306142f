import { IdempotencyRecord } from './idempotency-record.entity.js';

export type { Answer, Attempt } from './attempt.js';
export { created } from './created.js';
export { CurrentAttempt } from './current-attempt.decorator.js';
export { IdempotencyModule } from './idempotency.module.js';
export { Idempotency } from './idempotency.service.js';
export { RecordExpiry } from './record-expiry.js';

/** What idempotency keeps in the database. */
export const IDEMPOTENCY_ENTITIES = [IdempotencyRecord];
