export { EnumField, Int64Field, TextField } from './fields.js';
export { type ExactInt64, type Int64, int64Json, isCanonicalId } from './int64.js';
export { EnumParam, IdParam, IntegerParam } from './query-params.js';
export { JsonBody, StrictQuery } from './request.decorators.js';
export { BODY_LIMIT_BYTES } from './read-body.js';
export { UndeclaredQueryGuard } from './undeclared-query.guard.js';
