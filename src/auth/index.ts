import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { AuditRecord } from './audit-record.entity.js';

export { AccountKeysService, MOST_ACTIVE_KEYS } from './account-keys.service.js';
export { KEY_ID } from './api-key-format.js';
export type { AccountRequest } from './accounts.js';
export { AuthModule } from './auth.module.js';
export { type BearerRequest, readBearerToken } from './bearer-token.js';
export { BearerGuard } from './bearer.guard.js';
export { type Caller, isCaller } from './caller.js';
export { CurrentCaller } from './current-caller.decorator.js';
export type { IssuedKey, KeyOptions } from './issued-key.js';
export type { KeyListing } from './key-listing.js';
export { challenge, type KeyRefusal } from './key-refusal.js';
export { KeyVerifier } from './key-verifier.js';
export { KeysError } from './keys-error.js';
export { MAX_DURATION_MS } from './key-rules.js';
export { keyNotFound, type RotatedKey } from './key-operations.js';
export { KeysService, type NewKey } from './keys.service.js';
export { type CustomLimits, type Limits, PLAN_NAMES, type PlanName, PLANS } from './plan.js';
export { MANAGE_KEYS, type Scope, SCOPES } from './scopes.js';
export { Account, ApiKey, AuditRecord };

/** What accounts and their keys keep in the database. */
export const ACCOUNT_ENTITIES = [Account, ApiKey, AuditRecord];
