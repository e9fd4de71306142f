export { Deprecated } from './deprecation.interceptor.js';
export {
  announce,
  announcement,
  type Deprecation,
  deprecationOf,
  GUARD_STATUSES,
  operationRemoved,
  removalMs,
} from './deprecation.js';
