import { Initial1795219200000 } from './1795219200000-initial.js';
import { AuditByKey1795222800000 } from './1795222800000-audit-by-key.js';
import { Categories1795226400000 } from './1795226400000-categories.js';
import { Idempotency1795230000000 } from './1795230000000-idempotency.js';

/** The service's migrations, oldest first. */
export const MIGRATIONS = [Initial1795219200000, AuditByKey1795222800000, Categories1795226400000, Idempotency1795230000000];
