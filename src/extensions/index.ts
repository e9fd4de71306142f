export { inspect } from './composition.js';
export type { Extension } from './extension.js';
export { checkStart, compositionError, ExtensionError } from './start-checks.js';
export { refuseLateChanges, refuseOwnWays } from './refused-changes.js';
export { scopesOf } from './route-checks.js';
