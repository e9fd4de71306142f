import { KeyBan } from './persistence/key-ban.entity.js';
import { UsageWindow } from './persistence/usage-window.entity.js';

export { addAdmission, type AdmissionGuards } from './admission.js';
export { CounterStore } from './counter-store.js';
export { CurrentUsage } from './current-usage.decorator.js';
export { PlanThrottlerGuard } from './plan-throttler.guard.js';
export { RateLimitModule } from './rate-limit.module.js';
export { type Decision, refuse, type UsageReport, type WindowReport, tooManyRequests } from './windows/decision.js';
export { bansJson, keyUsageJson, type WindowJson, windowsJson } from './windows/usage-json.js';
export { readUsage } from './read-usage.js';

/** The tables of the counters. */
export const COUNTER_ENTITIES = [UsageWindow, KeyBan];
