export {
  announcement,
  DEPRECATION,
  type Deprecation,
  deprecationOf,
  operationRemoved,
  removalMs,
} from './deprecation.js';
export { Deprecated } from './deprecated.decorator.js';
export { announce, DeprecationInterceptor } from './deprecation.interceptor.js';
export { STABILITIES, type Stability, StabilityMarker, stabilityOf } from './stability.js';
