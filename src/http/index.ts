export { anyAddress, localOrigin } from './any-address.js';
export { brokenBody, type ParserRefusals } from './connections/client-error.js';
export { closeConnections } from './connections/closing.js';
export { addCommonHeaders } from './hooks/common-headers.js';
export { isPreflight } from './hooks/cors.js';
export { addEarlyResponses } from './hooks/early-responses.js';
export { collectMethods, ignoreEmptyParams, respondToOtherMethods } from './hooks/other-methods.js';
export { batchRequestsPerTick } from './hooks/tick-batching.js';
export { addLink, addToListHeader, nextPageLink, publicAddress, publicPath } from './public-address.js';
export {
  expectsContinue,
  hasBody,
  JSON_TYPE,
  jsonMediaTypes,
  MERGE_PATCH_TYPE,
  METHODS_WITH_BODY,
} from './requests/body.js';
export {
  BODY_LIMIT_BYTES,
  malformedJson,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
} from './requests/body-errors.js';
export { isRepeated } from './requests/headers.js';
export { replyOf, requestOf } from './requests/request-of.js';
export { API_PREFIX, isVersioned } from './requests/request-target.js';
export { createServer } from './server.js';
