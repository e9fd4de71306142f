export {
  announce,
  announcement,
  DEPRECATION,
  type Deprecation,
  deprecationOf,
  operationRemoved,
} from './deprecation.js';
export { Deprecated } from './deprecated.decorator.js';
export { DeprecationInterceptor } from './deprecation.interceptor.js';
export { removalMs } from './removal.js';
export { STABILITIES, type Stability, StabilityMarker, stabilityOf } from './stability.js';
