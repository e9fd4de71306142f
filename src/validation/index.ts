export { allRequestFaults } from './all-request-faults.js';
export {
  BooleanField,
  EnumField,
  EnumListField,
  type EnumOptions,
  type FieldOptions,
  IdField,
  Int64Field,
  IntegerField,
  TextField,
} from './fields.js';
export { type ExactInt64, type Int64, int64Json, isCanonicalId, isCanonicalInt64 } from './int64.js';
export { addJsonBodyParser } from './json-body.js';
export { LimitQuery, PageQuery } from './page-query.js';
export {
  EnumParam,
  IdListParam,
  IdParam,
  Int64Param,
  IntegerParam,
  type ParamOptions,
  PatternParam,
} from './query-params.js';
export { PathId, type PathIdOptions } from './path-id.decorator.js';
export { RequestValidationPipe, ValidatedOnce } from './request-validation.pipe.js';
