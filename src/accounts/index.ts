import { Account } from './account.entity.js';
import { AuditRecord } from './audit-record.entity.js';

export { Account, AuditRecord };

export { accountFor, accountNamed, type AccountRequest, changePlan } from './accounts.js';
export { audit, type AuditedOperation, beginOperation } from './audit.js';
export {
  ACCOUNT_NAME_SCHEMA,
  type CustomLimits,
  InvalidOperationError,
  type Limits,
  limitsOf,
  MAX_LIMIT,
  PLAN_NAMES,
  type PlanName,
  PLANS,
  planTerms,
} from './plan.js';

/** The entities of accounts and their audit records. */
export const ACCOUNT_ENTITIES = [Account, AuditRecord];
