import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/index.js';

/** Largest request body, in bytes. */
export const BODY_LIMIT_BYTES = 16 * 1024;

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Reads the body of a request that must carry JSON.
 * @throws ApiError `unsupported_media_type`, or `payload_too_large` as soon as the limit is passed
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
    const onClose = () => settle(() => reject(new ApiError('request_timeout', 'The connection closed before the request was complete.')));
    const settle = (outcome: () => void) => {
      message.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      outcome();
    };
    message.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', `The request body must not exceed ${BODY_LIMIT_BYTES} bytes.`);
}
