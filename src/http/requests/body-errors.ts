import { ApiError } from '../../errors/index.js';
import { JSON_TYPE, MERGE_PATCH_TYPE } from './message.js';

/** Maximum size of a JSON body, in bytes. */
export const BODY_LIMIT_BYTES = 16 * 1024;

/** @param why the rest of the sentence, such as `it is empty` */
export function malformedJson(why: string): ApiError {
  return new ApiError('malformed_json', `The request body must be JSON in UTF-8, but ${why}.`);
}

export function payloadTooLarge(): ApiError {
  return new ApiError('payload_too_large', `The request body must not exceed ${BODY_LIMIT_BYTES} bytes.`);
}

export function unsupportedMediaType(): ApiError {
  return new ApiError(
    'unsupported_media_type',
    `The request body must have Content-Type: ${JSON_TYPE} (with PATCH also ${MERGE_PATCH_TYPE}), with no charset other than utf-8.`,
  );
}

/** The request, or the rest of its body, did not come within the time that the server waits. */
export function requestTimeout(): ApiError {
  return new ApiError('request_timeout', 'The request did not arrive in time.');
}
