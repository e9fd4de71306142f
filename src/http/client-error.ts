import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorJson, type Problem } from '../errors/index.js';

/** How long a client that is still sending may do so before the connection is cut, in milliseconds. */
const LINGER_MS = 500;

const brokenBodies = new WeakMap<IncomingMessage, ApiError>();

/** Why the body of a request will never be complete, where that is known already. */
export function brokenBody(message: IncomingMessage): ApiError | undefined {
  return brokenBodies.get(message);
}

function breakBody(message: IncomingMessage, error: ApiError): void {
  brokenBodies.set(message, error);
  if (message.listenerCount('error') > 0) message.emit('error', error);
}

type ParserError = Error & { readonly code?: string };
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers bytes that Node's parser refuses; they are no request, so nobody can be admitted for them. */
export function answerClientError(error: ParserError, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const earlier = socket._httpMessage;
  if (earlier?.req.complete === false && !earlier.headersSent) {
    // The request that these bytes break gets an answer of its own, with all headers that it should have.
    breakBody(earlier.req, toError(error));
    earlier.shouldKeepAlive = false;
    return;
  }
  // The answers to complete requests that came before these bytes go first.
  if (earlier?.req.complete === true && !earlier.writableFinished) earlier.once('finish', () => answerClientError(error, socket));
  else refuse(error, socket);
}

function refuse(error: ParserError, socket: HttpSocket): void {
  if (!socket.writable) return;
  socket.end(rawResponse(toError(error)));
  // Cutting the connection while the client still sends could take the answer with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function toError({ code }: ParserError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'The request line and headers are larger than this service accepts.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request did not arrive in time.');
    default:
      return new ApiError('validation_failed', 'This is not a valid HTTP/1.1 request.');
  }
}

function rawResponse(answer: Problem): string {
  const body = errorJson(answer);
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
