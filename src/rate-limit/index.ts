import { KeyBan } from './key-ban.entity.js';
import { UsageWindow } from './usage-window.entity.js';

export { Admission } from './admission.js';
export { AdmissionModule } from './admission.module.js';
export { AdmissionTally } from './admission-tally.js';
export { CounterStore } from './counter-store.js';
export { CurrentUsage } from './current-usage.decorator.js';
export { PlanThrottlerGuard } from './plan-throttler.guard.js';
export { RateLimitModule } from './rate-limit.module.js';
export type { UsageReport, WindowReport } from './usage-report.js';

/** What the counters keep in the database. */
export const COUNTER_ENTITIES = [UsageWindow, KeyBan];
