import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/index.js';

/** Largest request body, in bytes. */
export const BODY_LIMIT_BYTES = 16 * 1024;

/**
 * How long a body may take after the headers, in milliseconds. Slightly less than the server allows for the whole
 * request: past that limit it can only cut the connection off, without the headers that every answer has.
 */
const BODY_TIMEOUT_MS = 29_000;

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Reads the body of a request that must carry JSON.
 * @throws ApiError `unsupported_media_type`, `payload_too_large` as soon as the limit is passed, or `request_timeout`
 */
export function readBody(message: IncomingMessage): Promise<Buffer> {
  const { 'content-type': mediaType = '', 'content-encoding': encoding, 'content-length': length } = message.headers;
  if (!JSON_MEDIA_TYPE.test(mediaType)) {
    throw new ApiError('unsupported_media_type', 'The request body must have Content-Type: application/json, with no charset but utf-8.');
  }
  if (encoding !== undefined) throw new ApiError('unsupported_media_type', 'The request body must come without Content-Encoding.');
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  return collect(message);
}

function collect(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      chunks.push(chunk);
      if (sizeBytes > BODY_LIMIT_BYTES) settle(() => reject(tooLarge()));
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, sizeBytes)));
    const onClose = () => settle(() => reject(tooSlow()));
    const timeout = setTimeout(() => settle(() => reject(tooSlow())), BODY_TIMEOUT_MS);
    const settle = (outcome: () => void) => {
      clearTimeout(timeout);
      message.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      outcome();
    };
    message.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}

function tooSlow(): ApiError {
  return new ApiError('request_timeout', 'The request body did not arrive in time.', { Connection: 'close' });
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `The request body must not exceed ${BODY_LIMIT_BYTES} bytes.`);
}
