export { inspect, type Route } from './composition.js';
export type { Extension } from './extension.js';
export { checkSerializers, checkStart, compositionError, ExtensionError } from './start-checks.js';
export { refuseLateChanges, refuseOwnWays } from './refused-changes.js';
export { scopesOf } from './route-checks.js';
export { globalSerializers } from './serializer-checks.js';
