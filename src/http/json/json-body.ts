import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { ApiError, CLIENT_GONE } from '../errors/api-error.js';
import { BODY_LIMIT_BYTES, brokenBodies, JSON_TYPE, jsonMediaTypes, MERGE_PATCH_TYPE } from '../requests/bodies.js';
import { METHODS_WITH_BODY, payloadTooLarge, unsupported } from '../requests/bodies.js';
import { unsupportedEncoding, unsupportedMediaType } from '../requests/bodies.js';
import { hasBody, isRepeated } from '../requests/request.js';
import { jsonText } from '../../platform/int64.js';
import { EMPTY_BODY, notAnObject, parseJson } from './parse-json.js';

const JSON_TYPES = [JSON_TYPE, MERGE_PATCH_TYPE];
const UTF_8 = /^[ \t]*charset=(?:utf-8|"utf-8")[ \t]*$/i;

/** JSON bodies without rounding, and responses with bigints. A plugin can add a parser for another media type. */
export function addJsonBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(JSON_TYPES, async (request: FastifyRequest, payload: Readable) => {
    request.rawBody = await readBody(request, payload);
    // A PATCH always needs a body, and `null` would remove what it changes. Of other methods, the validation knows it.
    const canBeAbsent = request.method !== 'PATCH';
    if (canBeAbsent && request.rawBody.length === 0) return EMPTY_BODY;
    const body = parseJson(request.rawBody, limitOf(request));
    if (body === null && !canBeAbsent) throw notAnObject();
    return body;
  });
  server.setReplySerializer((value) => {
    const text: string | undefined = jsonText(value);
    if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`);
    return text;
  });
  server.addHook('onRoute', (route) => {
    const takesBody = [route.method].flat().some((method) => METHODS_WITH_BODY.has(method));
    // The last preParsing hook: after it, the body flows to the parser.
    if (takesBody) route.preParsing = [...[route.preParsing ?? []].flat(), beforeParsing];
  });
}

const beforeParsing: preParsingHookHandler = (request, reply, _payload, done) => {
  const { raw } = request;
  // The end of a body never comes if the client has closed the connection.
  const gone = raw.destroyed ? ApiError.of(CLIENT_GONE) : undefined;
  const fault = gone ?? brokenBodies.get(raw) ?? headerFault(request);
  // HTTP/1.0 has no 100 Continue (RFC 9110, section 10.1.1).
  const isAwaited = raw.httpVersion !== '1.0' && raw.headers.expect?.toLowerCase() === '100-continue';
  if (fault === undefined && isAwaited) reply.raw.writeContinue();
  done(fault);
};

/** Keeps no chunks: those of a byte take much more memory than a byte. @throws (rejects) ApiError `payload_too_large` */
function readBody(request: FastifyRequest, payload: Readable): Promise<Buffer> {
  const limitBytes = limitOf(request);
  const body = Buffer.allocUnsafe(Math.min(Number(request.headers['content-length'] ?? limitBytes), limitBytes));
  let length = 0;
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      if (length + chunk.length > body.length) {
        payload.off('data', read);
        reject(payloadTooLarge(undefined, limitBytes));
      } else length += chunk.copy(body, length);
    };
    payload
      .on('data', read)
      .once('end', () => resolve(body.subarray(0, length)))
      .on('error', reject);
  });
}

function limitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.config.bodyLimitBytes ?? BODY_LIMIT_BYTES;
}

function headerFault(request: FastifyRequest): ApiError | undefined {
  const { method, headers, raw, server } = request;
  const { 'content-type': contentType, 'content-encoding': encoding, 'content-length': length = '0' } = headers;
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  const mediaType = type.trim().toLowerCase();
  const isKnown = mediaType !== '' && server.hasContentTypeParser(mediaType);
  if (!hasBody(raw) && method !== 'PATCH') {
    // Without a body, its type means nothing; Fastify would refuse it.
    if (!isKnown) request.headers = { 'content-type': undefined };
    return undefined;
  }
  if (isRepeated(raw, 'content-type'))
    return new ApiError('validation_failed', 'Content-Type must be given only once.');
  const { mediaTypes } = request.routeOptions.config;
  if (mediaTypes?.every((one) => one !== mediaType && !isWithin(one, mediaType)))
    return unsupported(`Send the body with Content-Type: ${mediaTypes.join(' or ')}.`, method, mediaTypes);
  if (!isKnown) return unsupportedMediaType(mediaType, method);
  if (JSON_TYPES.includes(mediaType)) {
    // Parameters may be empty (RFC 9110, section 5.6.6).
    const given = parameters.filter((parameter) => parameter.trim() !== '');
    const isUtf8 = given.length <= 1 && given.every((parameter) => UTF_8.test(parameter));
    if (!jsonMediaTypes(method).includes(mediaType)) return unsupportedMediaType(mediaType, method);
    if (!isUtf8) return unsupported('Content-Type can have no parameter other than charset=utf-8.', method);
    if (Number(length) > limitOf(request)) return payloadTooLarge(Number(length), limitOf(request));
  }
  if (encoding !== undefined) return unsupportedEncoding();
  return undefined;
}

/** Whether a media type is one of a range such as `image/*`. */
function isWithin(range: string, mediaType: string): boolean {
  return range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1));
}
