import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorJson, type Problem, problem } from '../errors/index.js';

/** How long a client that is still sending may do so before the connection is cut, in milliseconds. */
const LINGER_MS = 500;

type ParserError = Error & { readonly code?: string };
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Answers bytes that Node's parser refuses; they are no request, so nobody can be admitted for them. */
export function answerClientError(error: ParserError, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const earlier = socket._httpMessage;
  // The answers to complete requests that came before these bytes go first.
  if (earlier?.req.complete === true && !earlier.writableFinished) earlier.once('finish', () => answerClientError(error, socket));
  else refuse(error, socket);
}

function refuse(error: ParserError, socket: HttpSocket): void {
  if (!socket.writable) return;
  socket.end(rawResponse(toProblem(error)));
  // Cutting the connection while the client still sends could take the answer with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function toProblem({ code }: ParserError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem('headers_too_large', 'The request line and headers are larger than this service accepts.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request_timeout', 'The request did not arrive in time.');
    default:
      return problem('validation_failed', 'This is not a valid HTTP/1.1 request.');
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
