import { KeyBan } from './key-ban.entity.js';
import { UsageWindow } from './usage-window.entity.js';

export { quotaAddress } from './address.js';
export { Admission } from './admission.js';
export { AdmissionModule } from './admission.module.js';
export { AdmissionTally } from './admission-tally.js';
export { CounterStore } from './counter-store.js';
export type { Decision } from './decision.js';
export { PlanThrottlerGuard } from './plan-throttler.guard.js';
export {
  LIMIT_HEADER,
  refusalHeaders,
  REMAINING_HEADER,
  RESET_HEADER,
  RETRY_AFTER_HEADER,
  setRateLimitHeaders,
} from './rate-limit-headers.js';
export { RateLimitModule } from './rate-limit.module.js';
export { KeyBan, UsageWindow };

/** What the counters keep in the database. */
export const COUNTER_ENTITIES = [UsageWindow, KeyBan];
