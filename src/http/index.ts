export {
  addLink,
  addToListHeader,
  anyAddress,
  localOrigin,
  nextPageLink,
  publicAddress,
  publicPath,
} from './addresses.js';
export { exactJson, jsonText, type RawJson } from './exact-json.js';
export type { ConnectionObserver } from './connections/client-error.js';
export { closeConnections, drainConnections } from './connections/closing.js';
export { batchRequestsPerTick } from './connections/turns.js';
export { addCommonHeaders, isPreflight } from './hooks/common-headers.js';
export { addEarlyResponses, ignoreEmptyParams } from './hooks/early-responses.js';
export { collectMethods, respondToOtherMethods } from './hooks/other-methods.js';
export {
  brokenBody,
  expectsContinue,
  hasBody,
  isRepeated,
  JSON_TYPE,
  jsonMediaTypes,
  MERGE_PATCH_TYPE,
  METHODS_WITH_BODY,
} from './requests/message.js';
export { parameterTypes, sendsResponse, takesBody, takesQuery } from './requests/handler-parameters.js';
export {
  BODY_LIMIT_BYTES,
  malformedJson,
  payloadTooLarge,
  requestTimeout,
  unsupportedMediaType,
} from './requests/body-errors.js';
export { API_PREFIX, isVersioned, replyOf, requestOf } from './requests/request.js';
export { createServer } from './server.js';
