export { UNKNOWN_ID } from './common-errors.js';
export { CurrentDocument } from './document/document.js';
export { serveExplorer } from './explorer/explorer.js';
export { type Documentation, OperationGroup, PLANS_PAGE } from './operation-group.decorator.js';
export {
  type DeclaredOperation,
  type Examples,
  Operation,
  operationOf,
  type OperationOptions,
  type Stability,
  type SuccessResponse,
} from './operation.decorator.js';
export { RehearsalInterceptor } from './rehearsal.interceptor.js';
