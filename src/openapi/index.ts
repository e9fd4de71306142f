export * from './common-errors.js';
export * from './document/document.js';
export * from './explorer/explorer.js';
export * from './operation-group.decorator.js';
export * from './operation.decorator.js';
export * from './rehearsal.interceptor.js';
