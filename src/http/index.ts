export { ApiAdapter } from './adapter.js';
export { anyAddress } from './any-address.js';
export { API_PREFIX } from './api-prefix.js';
export { isPreflight } from './cors.js';
export { addDraining } from './draining.js';
export { addCommonHeaders, addEarlyAnswers } from './hooks.js';
export { answerOtherMethods, collectMethods } from './other-methods.js';
export { isVersioned } from './request-target.js';
export { createServer } from './server.js';
