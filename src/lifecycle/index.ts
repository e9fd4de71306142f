export type { Deprecation } from './deprecation.js';
export { announceDeprecations } from './deprecation-hook.js';
export { Deprecated } from './deprecated.decorator.js';
export { removalMs } from './removal.js';
export { STABILITIES, type Stability, StabilityMarker, stabilityOf } from './stability.js';
