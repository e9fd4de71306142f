export { addLink, anyAddress, localOrigin, nextPageLink, publicAddress, publicPath } from './addresses.js';
export { CompressedFile } from './compressed-file.js';
export { IfMatch, Revalidates } from './conditional-requests/conditional.decorators.js';
export {
  etagOf,
  pageEtag,
  type PageJson,
  type ResponseBody,
  sendCreated,
  sendPage,
  sendPageJson,
  sendWithEtag,
} from './conditional-requests/entity-tags.js';
export { Precondition } from './conditional-requests/precondition.js';
export { closeConnections, drainConnections } from './connections/closing.js';
export { batchRequestsPerTick } from './connections/turns.js';
export { ApiExceptionFilter, toProblem } from './errors/api-exception.filter.js';
export { unknownName } from './errors/client-names.js';
export {
  ApiError,
  errorJson,
  errorObject,
  MAX_MESSAGE_LENGTH,
  type OwnErrorCode,
  type Problem,
  problem,
  sendProblem,
  validationFailed,
} from './errors/problem.js';
export { addCommonHeaders, isPreflight } from './hooks/common-headers.js';
export { addEarlyResponses, collectMethods, respondToOtherMethods } from './hooks/early-responses.js';
export { IdempotencyRecord } from './idempotency/idempotency-record.entity.js';
export { addIdempotency } from './idempotency/idempotency.hooks.js';
export { IdempotencyModule } from './idempotency/idempotency.module.js';
export { IdempotencyService, inUse, reused } from './idempotency/idempotency.service.js';
export { IDEMPOTENCY_KEY_PARAMETER } from './idempotency/idempotent-request.js';
export {
  IDEMPOTENCY_EXTENSION,
  type IdempotencyRule,
  Idempotent,
  isIdempotent,
  RefuseIdempotencyKey,
} from './idempotency/idempotent.decorator.js';
export { type ExactInt64, int64Json, type RawJson } from './json/exact-json.js';
export { type Int64, isCanonicalId, isCanonicalInt64 } from './json/int64.js';
export { addJsonBodyParser } from './json/json-body.js';
export {
  AddRouteConfig,
  documentParameter,
  parameterCount,
  parameterErrorsOf,
  routeConfigOf,
  takesBody,
  takesQuery,
} from './requests/handler-metadata.js';
export {
  isRepeated,
  JSON_TYPE,
  jsonMediaTypes,
  malformedJson,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
} from './requests/message.js';
export { API_PREFIX, isVersioned, replyOf, requestOf } from './requests/request.js';
export {
  COMMON_HEADERS,
  HEADER_COMPONENTS,
  type HeaderName,
  headerReferences,
  optionalHeaders,
} from './response-headers.js';
export { createServer } from './server.js';
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
} from './validation/fields.js';
export { PathId, type PathIdOptions } from './validation/path-id.decorator.js';
export {
  EnumParam,
  IdListParam,
  IdParam,
  Int64Param,
  IntegerParam,
  LimitQuery,
  PageQuery,
  type ParamOptions,
  PatternParam,
} from './validation/query-params.js';
export { RequestValidationPipe, ValidatedOnce } from './validation/request-validation.pipe.js';
