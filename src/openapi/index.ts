export { serveExplorer } from './explorer.js';
export { Operation, operationOf, type OperationOptions, Public, type Requirement, requirementOf } from './operation.decorator.js';
export type { HeaderName } from './headers.js';
