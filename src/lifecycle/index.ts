export {
  announce,
  announcement,
  type Deprecation,
  deprecationOf,
  GUARD_STATUSES,
  operationRemoved,
  removalMs,
} from './deprecation.js';
export { Deprecated } from './deprecated.decorator.js';
