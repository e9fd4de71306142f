import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SampledLog } from '../../platform/logging/sampled-log.js';
import { ApiError, errorJson } from '../errors/api-error.js';
import { breakBody, requestTimeout } from '../requests/message.js';
import { closeAfterResponse, closeLingering, responseInProgress } from './closing.js';

export const MAX_HEADERS = 100;

/** Handles what Node reports as `clientError`: bytes that it cannot parse, and requests that do not arrive in time. */
export function handleClientError(this: FastifyInstance, { code }: NodeJS.ErrnoException, socket: Socket): void {
  const response = responseInProgress(socket);
  if (response === undefined) {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(this.server, socket, toError(code));
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
export function refuse(server: Server, socket: Socket, { problem }: ApiError): void {
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

const NO_HTTP = 'This is not a valid HTTP/1.1 request';

export function toError(code?: string): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new ApiError('payload_too_large', 'The chunk extensions are larger than this service accepts.');
  if (code === 'HPE_INVALID_METHOD')
    return new ApiError('validation_failed', `${NO_HTTP}: it begins with no method, such as GET in capital letters.`);
  return new ApiError('validation_failed', `${NO_HTTP}.`);
}

export function headersTooLarge(): ApiError {
  return new ApiError(
    'headers_too_large',
    `The request line and headers are larger than this service accepts, or there are more than ${MAX_HEADERS} headers.`,
  );
}
