export { CurrentDocument } from './document/current-document.js';
export { isUndocumented, refuseUndeclaredQueries } from './undeclared-query.js';
export { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';
export { type ErrorDeclaration, UNKNOWN_ID } from './documented-error.js';
export {
  API_KEY_SCHEME,
  errorsOf,
  type Examples,
  Operation,
  operationOf,
  type OperationOptions,
  type Stability,
  type SuccessResponse,
} from './operation.decorator.js';
export { operationPart, partsOf } from './operation-part.js';
export { type Documentation, OperationGroup, PLANS_PAGE } from './operation-group.decorator.js';
