export { BooleanField, EnumField, EnumListField, IdField, Int64Field, IntegerField, TextField } from './fields.js';
export { type ExactInt64, type Int64, int64Json, isCanonicalId, isCanonicalInt64 } from './int64.js';
export { EnumParam, IdParam, Int64Param, IntegerParam, PatternParam } from './query-params.js';
export { PathId, type PathIdOptions } from './path-id.decorator.js';
export { JsonBody, MergePatchBody, StrictQuery } from './request.decorators.js';
export { BODY_LIMIT_BYTES } from './read-body.js';
export { UndeclaredQueryGuard } from './undeclared-query.guard.js';
