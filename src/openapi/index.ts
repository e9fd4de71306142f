export { serveExplorer } from './explorer.js';
export type { HeaderName } from './headers.js';
export { type Examples, namedExamples } from './named-examples.js';
export { Operation, operationOf, type OperationOptions, Public, type Requirement, requirementOf } from './operation.decorator.js';
export { OperationGroup } from './operation-group.decorator.js';
