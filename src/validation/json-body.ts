import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { ApiError } from '../errors/index.js';
import {
  BODY_LIMIT_BYTES,
  brokenBody,
  expectsContinue,
  hasBody,
  isRepeated,
  JSON_TYPE,
  jsonMediaTypes,
  jsonText,
  MERGE_PATCH_TYPE,
  METHODS_WITH_BODY,
  payloadTooLarge,
  unsupportedMediaType,
} from '../http/index.js';
import { parseJson } from './parse-json.js';

/** Maximum number of chunks of a body: each costs some microseconds, however small it is. */
const MAX_CHUNKS = 1_024;

const UTF_8 = /^[ \t]*charset=(?:utf-8|"utf-8")[ \t]*$/i;

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a JSON body. */
    rawBody: Buffer | undefined;
  }
}

/**
 * Makes Fastify parse JSON bodies without rounding, and refuse bodies that are too large, have another charset or have a
 * content coding. A plugin can add a parser for another media type. Bigints in responses are written as JSON numbers.
 */
export function addJsonBodyParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES } as const;
  server.addContentTypeParser<Buffer>([JSON_TYPE, MERGE_PATCH_TYPE], options, (request, bytes, done) => {
    request.rawBody = bytes;
    done(null, parseJson(bytes));
  });
  // So a handler can return a bigint that it received.
  server.setReplySerializer(jsonText);
  server.addHook('onRoute', (route) => {
    const takesBody = [route.method].flat().some((method) => METHODS_WITH_BODY.has(method));
    // The last preParsing hook: after it, the body flows to the parser.
    if (takesBody) route.preParsing = [...[route.preParsing ?? []].flat(), beforeParsing];
  });
}

/** Checks the headers of a body before it is read, and sends 100 Continue if the client expects it. */
function beforeParsing(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  done: (error?: Error) => void,
): void {
  const fault = brokenBody(request.raw) ?? headerFault(request);
  if (fault !== undefined) return done(fault);
  if (expectsContinue(request.raw)) reply.raw.writeContinue();
  if (isJson(mediaTypeOf(request.headers))) limitChunks(request, payload);
  done();
}

function limitChunks(request: FastifyRequest, payload: RequestPayload): void {
  let chunks = 0;
  payload.on('data', () => {
    chunks += 1;
    if (chunks !== MAX_CHUNKS + 1) return;
    request.raw.socket.pause();
    payload.emit(
      'error',
      new ApiError('payload_too_large', `The request body must not have more than ${MAX_CHUNKS} chunks.`),
    );
  });
}

function headerFault({ method, headers, raw, server }: FastifyRequest): ApiError | undefined {
  const { 'content-type': contentType, 'content-encoding': encoding, 'content-length': length = '0' } = headers;
  if (contentType === undefined && !hasBody(raw)) return method === 'PATCH' ? unsupportedMediaType() : undefined;
  if (isRepeated(raw, 'content-type'))
    return new ApiError('validation_failed', 'Content-Type must be given only once.');
  const [, ...parameters] = (contentType ?? '').split(';');
  const essence = mediaTypeOf(headers);
  if (isJson(essence)) {
    const isUtf8 = parameters.length === 0 || (parameters.length === 1 && UTF_8.test(parameters[0] ?? ''));
    if (!isUtf8 || !jsonMediaTypes(method).includes(essence)) return unsupportedMediaType();
    if (Number(length) > BODY_LIMIT_BYTES) return payloadTooLarge();
  } else if (essence === '' || !server.hasContentTypeParser(essence)) return unsupportedMediaType();
  if (encoding !== undefined)
    return new ApiError('unsupported_media_type', 'The request body must not have a Content-Encoding.');
  return undefined;
}

/** The media type without its parameters, in lower case. */
function mediaTypeOf({ 'content-type': contentType = '' }: FastifyRequest['headers']): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

function isJson(mediaType: string): boolean {
  return mediaType === JSON_TYPE || mediaType === MERGE_PATCH_TYPE;
}
