export { KeyUsage } from './usage.dto.js';
export { UsageModule } from './usage.module.js';
