export { CurrentDocument } from './current-document.js';
export { refuseUndeclaredQueries } from './undeclared-query.js';
export { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';
export type { DocumentFacts } from './document.js';
export { documentedError, type ErrorDeclaration, UNKNOWN_ID } from './documented-error.js';
export {
  API_KEY_SCHEME,
  errorsOf,
  type Examples,
  Operation,
  operationOf,
  type OperationOptions,
  type SuccessResponse,
} from './operation.decorator.js';
export { type OperationPart, operationPart, partsOf } from './operation-part.js';
export { type Documentation, OperationGroup, PLANS_PAGE } from './operation-group.decorator.js';
