export { Account } from './account.entity.js';
export { type AuditedOperation, AuditRecord } from './audit-record.entity.js';
export { AdminKeysService, type KeyChange } from './keys/admin-keys.service.js';
export {
  generateApiKey,
  hashApiKey,
  isApiKey,
  isOfKind,
  KEY_ID,
  type KeyKind,
  keyKindOf,
} from './keys/api-key-format.js';
export { ApiKey } from './keys/api-key.entity.js';
export { ApiKeysModule } from './keys/api-keys.module.js';
export { ApiKeysRepository, keyNotFound } from './keys/api-keys.repository.js';
export { type KeyOptions, MAX_DURATION_MS, MAX_NAME_LENGTH, type NewKey } from './keys/key-options.js';
export {
  detailsOf,
  EXAMPLE_KEY,
  IssuedKey,
  KEY_ID_SCHEMA,
  KeyDetails,
  type KeyEvents,
  RotatedKey,
} from './keys/key.dto.js';
export { isScope, KnownScopes, MANAGE_KEYS, SCOPES } from './keys/scopes.js';
export {
  ACCOUNT_NAME_SCHEMA,
  type CustomLimits,
  type Limits,
  limitsOf,
  MAX_LIMIT,
  PLAN_NAMES,
  type PlanName,
  PLANS,
} from './plan.js';
