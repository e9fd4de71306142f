import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SampledLog } from '../../platform/logging/sampled-log.js';
import { ApiError, errorJson } from '../errors/api-error.js';
import { breakBody, requestTimeout } from '../requests/bodies.js';
import { closeAfterResponse, closeLingering, responseInProgress } from './closing.js';

export const MAX_HEADERS = 100;

/** Handles what Node reports as `clientError`: bytes that it cannot parse, and requests that do not arrive in time. */
export function handleClientError(this: FastifyInstance, { code }: NodeJS.ErrnoException, socket: Socket): void {
  const response = responseInProgress(socket);
  if (response === undefined) {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseConnection(this.server, socket, toError(code));
  } else if (response.req.complete) {
    // They come after a request that gets its response.
    closeAfterResponse(socket);
  } else if (response.headersSent || code === 'ECONNRESET') {
    socket.destroy();
  } else {
    // They belong to the body of a request, which gets its response from its handler.
    response.shouldKeepAlive = false;
    breakBody(response.req, toError(code));
  }
}

/** Logs connections that are refused, or dropped because there are too many. */
export function logRefusedConnections(server: Server): void {
  const refusals = new SampledLog('Connections', 'warn', {
    first: 'refused connection',
    others: 'more connections were refused for the same reason',
  });
  server.on('refused', (reason: number, requestId: string) => refusals.add({ reason }, { requestId }));
  server.on('drop', () => refusals.add({ reason: 'MAX_CONNECTIONS' }, {}));
}

/** Sends an Error for bytes that are no request, and closes the connection. The server emits `refused`. */
export function refuseConnection(server: Server, socket: Socket, { problem }: ApiError): void {
  const requestId = randomUUID();
  const body = errorJson(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  closeLingering(socket);
  server.emit('refused', problem.status, requestId);
}

const URL_CHARACTERS = 'its path or query has a character that must be percent-encoded, such as a space';
const FIRST_LINE = 'its first line does not end with HTTP/1.1 and CRLF';
const CHUNKS = 'a chunk does not begin with its size in hexadecimal digits, or is not as long as that';

/** What is wrong, by the code of Node's parser. */
const FAULTS: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'it does not begin with a method in capital letters, such as GET',
  HPE_INVALID_URL: URL_CHARACTERS,
  HPE_INVALID_CONSTANT: URL_CHARACTERS,
  HPE_INVALID_VERSION: FIRST_LINE,
  HPE_PAUSED_H2_UPGRADE: FIRST_LINE,
  HPE_LF_EXPECTED: 'a line does not end with CRLF',
  HPE_INVALID_HEADER_TOKEN: 'the name or the value of a header has a character that is not allowed there',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a number of bytes, or is sent with Transfer-Encoding',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length is sent twice',
  HPE_INVALID_TRANSFER_ENCODING: 'Transfer-Encoding is not chunked, or is sent with Content-Length',
  HPE_INVALID_CHUNK_SIZE: CHUNKS,
  HPE_STRICT: CHUNKS,
};

export function toError(code = ''): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new ApiError('payload_too_large', 'The chunk extensions are larger than this service accepts.');
  const fault = FAULTS[code];
  return new ApiError(
    'validation_failed',
    `This is not a valid HTTP/1.1 request${fault === undefined ? '' : `: ${fault}`}.`,
  );
}

export function headersTooLarge(): ApiError {
  return new ApiError(
    'headers_too_large',
    `The request line and headers are larger than this service accepts, or there are more than ${MAX_HEADERS} headers.`,
  );
}
