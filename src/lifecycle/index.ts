export { announceDeprecation, type Deprecation, deprecationOf } from './deprecation.js';
export { Deprecated } from './deprecated.decorator.js';
export { isRemoved } from './removal.js';
export { STABILITIES, type Stability, StabilityMarker, stabilityOf } from './stability.js';
