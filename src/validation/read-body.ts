import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors/index.js';
import { brokenBody } from '../http/index.js';

/** Largest request body, in bytes. */
export const BODY_LIMIT_BYTES = 16 * 1024;

/** Most pieces that a body may come in: each costs the event loop some microseconds, however small it is. */
const MOST_CHUNKS = 1_024;

/** Media types of a body, each with no charset but utf-8. */
export interface BodyMediaTypes {
  readonly names: readonly string[];
  readonly pattern: RegExp;
}

const JSON_MEDIA_TYPES: BodyMediaTypes = {
  names: ['application/json'],
  pattern: /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i,
};

/** The media type of JSON merge patches (RFC 7396), or that of JSON. */
export const MERGE_PATCH_MEDIA_TYPES: BodyMediaTypes = {
  names: ['application/json', 'application/merge-patch+json'],
  pattern: /^application\/(?:merge-patch\+)?json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i,
};

/**
 * Reads the body of a request that must carry JSON.
 * @throws ApiError `unsupported_media_type`, `payload_too_large` as soon as the limit is passed, `request_timeout`, or
 * `validation_failed` where the bytes are no HTTP
 */
export function readBody(message: IncomingMessage, response: ServerResponse, accepted = JSON_MEDIA_TYPES): Promise<Buffer> {
  const { 'content-type': mediaType = '', 'content-encoding': encoding, 'content-length': length, expect = '' } = message.headers;
  if (!accepted.pattern.test(mediaType)) {
    const names = accepted.names.join(' or ');
    throw new ApiError('unsupported_media_type', `The request body must have Content-Type: ${names}, with no charset but utf-8.`);
  }
  if (encoding !== undefined) throw new ApiError('unsupported_media_type', 'The request body must come without Content-Encoding.');
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  const broken = brokenBody(message);
  if (broken !== undefined) throw broken;
  if (expect.toLowerCase() === '100-continue') response.writeContinue();
  return collect(message);
}

function collect(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (chunks.push(chunk) > MOST_CHUNKS) {
        // What was received is still parsed, but no more is taken from this connection.
        message.socket.pause();
        refuse(tooManyChunks());
      } else if (sizeBytes > BODY_LIMIT_BYTES) {
        refuse(tooLarge());
      }
    };
    const refuse = (error: ApiError) => {
      message.off('data', onData);
      // The request may take long to end, and has its listeners until then.
      chunks.length = 0;
      sizeBytes = 0;
      reject(error);
    };
    // To take listeners away costs as much as to add them, and they go with the request; but one for data that is left
    // would be deleted by Node once the answer is out, which makes the object that holds them all a slow one.
    message.on('data', onData);
    message.on('end', () => {
      message.off('data', onData);
      resolve(Buffer.concat(chunks, sizeBytes));
    });
    message.on('error', (error) => reject(error instanceof ApiError ? error : brokenOff()));
    message.on('close', () => {
      if (!message.readableEnded) reject(brokenOff());
    });
  });
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `The request body must not exceed ${BODY_LIMIT_BYTES} bytes.`);
}

function tooManyChunks(): ApiError {
  return new ApiError('payload_too_large', `The request body must not come in more than ${MOST_CHUNKS} pieces.`, { connection: 'close' });
}

function brokenOff(): ApiError {
  return new ApiError('request_timeout', 'The connection ended before the request was complete.');
}
