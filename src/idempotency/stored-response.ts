import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';
import { jsonText } from '../http/index.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** A random nonce (NIST SP 800-38D, section 8.2.2); few responses are encrypted with one API key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'petstore idempotency answer';

/** Bodies that Nest and Fastify send as they are, besides buffers. */
const FILES = [StreamableFile, Readable, ReadableStream, Response];

type Headers = Readonly<Partial<ReturnType<FastifyReply['getHeaders']>>>;

/** The response of a handler. */
interface StoredResponse {
  readonly status?: number;
  /** The headers that the handler set. */
  readonly headers?: Headers;
  readonly body?: unknown;
}

/**
 * The response of a handler, encrypted with the API key of the request.
 * @param before headers of the response before the handler ran
 * @throws ApiError `validation_failed` if the body cannot be repeated, such as a stream
 */
export function storeResponse(reply: FastifyReply, before: Headers, body: unknown, apiKey: string): string {
  if (reply.sent || FILES.some((type) => body instanceof type) || ArrayBuffer.isView(body)) {
    throw new ApiError('validation_failed', 'This operation accepts no Idempotency-Key, as its response is a file.');
  }
  const json: string | undefined = jsonText(body);
  const storedAsText = !isExact(json);
  const headers: Headers = {
    ...Object.fromEntries(Object.entries(reply.getHeaders()).filter(([name, value]) => before[name] !== value)),
    ...(storedAsText ? { 'content-type': 'application/json; charset=utf-8' } : {}),
  };
  const response: StoredResponse = { status: reply.statusCode, headers, body: storedAsText ? json : body };
  return seal(JSON.stringify(response), apiKey);
}

/**
 * Sets status and headers of a stored response.
 * @returns its body
 */
export function restoreResponse(reply: FastifyReply, stored: string, apiKey: string): unknown {
  const { status, headers = {}, body } = JSON.parse(unseal(stored, apiKey)) as StoredResponse;
  if (status !== undefined) reply.code(status);
  reply.headers(headers);
  return body;
}

/** Restores the headers from before a handler that failed. */
export function resetHeaders(reply: FastifyReply, before: Headers): void {
  for (const name of Object.keys(reply.getHeaders())) if (before[name] === undefined) reply.removeHeader(name);
  reply.headers(before);
}

/** Whether JSON.parse and JSON.stringify keep the text of a body: an integer beyond 2^53 would be rounded. */
function isExact(json: string | undefined): boolean {
  return json === undefined || JSON.stringify(JSON.parse(json)) === json;
}

/**
 * Encrypts text with the API key of the request. The database has only a hash of that key, so a reader of the database
 * cannot decrypt the responses, some of which contain secrets.
 * @returns nonce, tag and ciphertext in base64
 */
function seal(text: string, apiKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealingKey(apiKey), nonce);
  const ciphertext = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...ciphertext]).toString('base64');
}

/** @throws Error if the text was encrypted with another API key, or has been changed */
function unseal(sealed: string, apiKey: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, sealingKey(apiKey), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
  return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
}

/** HKDF (RFC 5869) needs no salt, because an API key is random. */
function sealingKey(apiKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', apiKey, '', PURPOSE, KEY_BYTES));
}
