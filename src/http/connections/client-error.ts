import { randomUUID } from 'node:crypto';
import { METHODS, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorJson, type Problem } from '../../errors/index.js';
import { requestTimeout } from '../requests/body-errors.js';
import { breakBody } from '../requests/message.js';
import { closeLingering } from './lingering-close.js';
import { findRequestLine, type RequestLine } from './request-line.js';

/** Code of the error for a CONNECT request, whose target is not a path. */
export const CONNECT = 'CONNECT';

/** The error that Node reports for a connection. */
interface ParserError extends Error {
  readonly code?: string;
  /** The last bytes, in a Buffer, and how many of them were parsed; for parse errors only. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** How the rest of the service handles requests that Node's parser refuses. */
export interface ParserRefusals {
  /** Takes one from the quota of a client's address. @returns the refusal, or the one of an exhausted quota */
  charge(address: string, refusal: Problem): Promise<Problem>;
  /** Counts a response. */
  note(status: number, requestId: string): void;
}

/**
 * Creates the handler of Node's `clientError`. It responds to bytes that are not a request, to requests that Node cannot
 * parse, and to requests that do not arrive in time. Their key is unknown, so under the versioned API they use the quota
 * of the address.
 */
export function clientErrorHandler(refusals: ParserRefusals): (error: ParserError, socket: HttpSocket) => void {
  const failed = new WeakSet<Socket>();

  const refuse = async (error: ParserError, socket: HttpSocket): Promise<void> => {
    const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
    const line = findRequestLine(packet, error.bytesParsed ?? 0);
    const refusal = toError(error, line).problem;
    // The request line is lost if a request came in several packets; it may be under the versioned API.
    const isCutOff = error.code !== CONNECT && socket.bytesRead > packet.length;
    const problem = (line?.isVersioned ?? isCutOff) ? await charge(refusal, socket) : refusal;
    if (!socket.writable) return;
    const requestId = randomUUID();
    socket.write(rawResponse(problem, requestId));
    closeLingering(socket);
    refusals.note(problem.status, requestId);
  };

  /** The client gets its error even if the counters fail. */
  const charge = (refusal: Problem, { remoteAddress = '' }: Socket): Promise<Problem> =>
    refusals.charge(remoteAddress, refusal).catch(() => refusal);

  return function handle(error, socket) {
    // Node keeps reporting the bytes after those that it could not parse.
    if (failed.has(socket)) return;
    failed.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // Later bytes cannot be parsed; they are discarded when the connection closes.
    socket.pause();
    const earlier = socket._httpMessage;
    if (earlier?.req.complete === false) {
      // They belong to the body of a request, which gets its response from its handler.
      earlier.shouldKeepAlive = false;
      if (!earlier.headersSent) breakBody(earlier.req, toError(error));
    } else if (earlier != null && !earlier.writableFinished) {
      // Responses to complete requests before these bytes go first.
      earlier.once('finish', () => {
        failed.delete(socket);
        handle(error, socket);
      });
    } else {
      void refuse(error, socket);
    }
  };
}

function toError({ code }: ParserError, line?: RequestLine): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'The request line and headers are larger than this service accepts.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    case CONNECT:
      return unknownMethod();
    default:
      // Node's parser knows RTSP methods too, with other error codes.
      return line?.isComplete === true && !METHODS.includes(line.method) ? unknownMethod() : invalid();
  }
}

function unknownMethod(): ApiError {
  return new ApiError('not_implemented', 'This service does not support the request method.');
}

function invalid(): ApiError {
  return new ApiError('validation_failed', 'This is not a valid HTTP/1.1 request.');
}

function rawResponse(problem: Problem, requestId: string): string {
  const body = errorJson(problem);
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...problem.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`, ...lines, '', body].join('\r\n');
}
