import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.js';

export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
export const BODY_LIMIT_BYTES = 16 * 1024;

export const JSON_TYPE = 'application/json';
/** JSON merge patch (RFC 7396). */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

export function jsonMediaTypes(method: string): readonly string[] {
  return method.toUpperCase() === 'PATCH' ? [JSON_TYPE, MERGE_PATCH_TYPE] : [JSON_TYPE];
}

/** Why bodies of requests will never be complete. */
export const brokenBodies = new WeakMap<IncomingMessage, ApiError>();

/** Ends the reading of a body that will never be complete, now or when it begins. */
export function breakBody(message: IncomingMessage, error: ApiError): void {
  brokenBodies.set(message, error);
  if (message.listenerCount('error') > 0) message.emit('error', error);
}

export function malformedJson(fault: string): ApiError {
  return new ApiError('malformed_json', `The request body ${fault}.`);
}

export function payloadTooLarge(sentBytes?: number, limitBytes = BODY_LIMIT_BYTES): ApiError {
  const sent = Number.isSafeInteger(sentBytes) ? `, but has ${sentBytes}` : '';
  return new ApiError('payload_too_large', `The request body must not exceed ${limitBytes} bytes${sent}.`);
}

/** What tools send unasked. Others may be a misplaced API key. */
const USUAL_TYPE = /^(?:application\/(?:merge-patch\+json|xml)|multipart\/form-data|text\/(?:plain|json|xml))$/;
const CURL_TYPE = 'application/x-www-form-urlencoded';

/** @param sent the media type of the body, in lower case */
export function unsupportedMediaType(sent = '', method = 'POST'): ApiError {
  const other =
    sent === CURL_TYPE ? `, not ${sent} (the default of curl -d)` : USUAL_TYPE.test(sent) ? `, not ${sent}` : '';
  return unsupported(`Send a JSON body with Content-Type: ${jsonMediaTypes(method).join(' or ')}${other}.`, method);
}

/** A 415, which names what the method accepts (RFC 9110, section 15.5.16). */
export function unsupported(message: string, method: string, mediaTypes = jsonMediaTypes(method)): ApiError {
  const accept = mediaTypes.join(', ');
  return new ApiError('unsupported_media_type', message, { accept, ...(method === 'PATCH' && ACCEPT_PATCH) });
}

/** RFC 5789, section 3.1. */
export const ACCEPT_PATCH = { 'accept-patch': jsonMediaTypes('PATCH').join(', ') };

/** A 415 of a body that is compressed (RFC 9110, section 12.5.3). */
export function unsupportedEncoding(): ApiError {
  const message = 'Send the body uncompressed, without Content-Encoding.';
  return new ApiError('unsupported_media_type', message, { 'accept-encoding': 'identity' });
}

export function requestTimeout(): ApiError {
  return new ApiError('request_timeout', 'The request did not arrive in time.');
}
