export { serveExplorer } from './explorer.js';
export { COMMON_HEADERS, type HeaderName, headerReferences } from './headers.js';
export { type Examples, namedExamples } from './named-examples.js';
export { Operation, operationOf, type OperationOptions, Public, type Requirement, requirementOf } from './operation.decorator.js';
export { type OperationPart, operationPart } from './operation-part.js';
export { OperationGroup } from './operation-group.decorator.js';
