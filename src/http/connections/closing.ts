import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ResponseListener } from '../hooks/responses.js';
import { hasBody, isMisframed } from '../requests/request.js';

/** How long busy clients have to notice that connections are about to close, and how often those are checked. */
const NOTICE_MS = 100;
const CHECK_INTERVAL_MS = 100;
/** When open connections are cut off, such as those with half a request or an event stream. */
const DEADLINE_MS = 8_000;
/** How long a client that is still sending has to read its response, and how much of it is discarded meanwhile. */
const LINGER_MS = 500;
const LINGER_BYTES = 1024 * 1024;

/**
 * When the service closes, it closes idle connections, and the others after their last response.
 * @returns closes a connection after a response to an incomplete or ambiguous request, whose rest must not be parsed, too
 */
export function closeConnections(
  server: FastifyInstance,
  service: { readonly isEnding: boolean },
  deadlineMs = DEADLINE_MS,
): ResponseListener {
  let isClosing = false;
  server.addHook('preClose', (done) => {
    isClosing = true;
    // A server that has not listened has no connections, and emits no `close`.
    if (!server.server.listening) return done();
    const idle = setInterval(() => server.server.closeIdleConnections(), CHECK_INTERVAL_MS);
    const deadline = setTimeout(() => server.server.closeAllConnections(), deadlineMs);
    server.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(deadline);
    });
    setTimeout(done, NOTICE_MS);
  });
  return ({ raw }, reply) => {
    const isUnread = !raw.complete && hasBody(raw);
    if (isUnread || isMisframed(raw) || isClosing || service.isEnding) reply.header('connection', 'close');
    // Node calls this when the last response of a connection is out.
    if (isUnread) raw.socket.destroySoon = () => closeLingering(raw.socket);
  };
}

/** Closes the server, and waits for the requests in progress. WebSockets remain open; Nest closes them. */
export async function drainConnections(server: FastifyInstance, deadlineMs = DEADLINE_MS): Promise<void> {
  // The caller closes the server once more, and gets its error.
  const closed = server.close().catch(() => undefined);
  await Promise.race([closed, delay(deadlineMs, undefined, { ref: false })]);
  server.server.closeAllConnections();
}

/** Closing with unread bytes would reset the connection, and the client could lose its response (RFC 9112, section 9.6). */
export function closeLingering(socket: Socket): void {
  let discardedBytes = 0;
  // Node's own listener would keep parsing.
  socket.removeAllListeners('data').on('data', ({ length }: Buffer) => {
    discardedBytes += length;
    if (discardedBytes > LINGER_BYTES) socket.pause();
  });
  socket.resume();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** How long a client can read nothing of its response, or twice that. It differs from any keep-alive timeout. */
const WRITE_TIMEOUT_MS = 15_001;

/** Closes connections whose client does not read, because their responses stay in memory. */
export function closeStalledSockets(server: Server, timeoutMs = WRITE_TIMEOUT_MS): void {
  // Node applies this to each connection with a request in progress, and restarts it when bytes are written.
  server.setTimeout(timeoutMs, (socket) => {
    // A request in progress has nothing to write yet and has other time limits. An idle connection has reached the
    // keep-alive timeout, for which Node calls this listener too.
    const isIdle = socket.timeout !== timeoutMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

const responses = new WeakMap<Socket, ServerResponse>();
const closing = new WeakSet<Socket>();

export function responseInProgress(socket: Socket): ServerResponse | undefined {
  const response = responses.get(socket);
  // Node takes the socket from a response that is finished.
  return response?.socket === socket ? response : undefined;
}

/** Does not handle a pipelined request (RFC 9112, section 9.3.2): the connection closes after the response before it. */
export function handleOneAtATime(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    // Node assigns the socket to one response after the other.
    if (response.socket === null || closing.has(socket)) return closeAfterResponse(socket);
    responses.set(socket, response);
    handle(request, response);
  };
}

/** Closes a connection that sent CONNECT, after the response in progress. */
export function refuseTunnel(socket: Socket): void {
  // Node takes its own listener off, and an error without one would end the process.
  socket.on('error', () => socket.destroy());
  if (responseInProgress(socket) === undefined) socket.destroy();
  else closeAfterResponse(socket);
}

/** Stops reading from a connection, and closes it after the response in progress. */
export function closeAfterResponse(socket: Socket): void {
  const response = responseInProgress(socket);
  if (response === undefined || closing.has(socket)) return;
  closing.add(socket);
  if (response.headersSent) response.once('finish', () => socket.destroySoon());
  else response.shouldKeepAlive = false;
  // Deferred, because Node resumes the socket after each request.
  setImmediate(() => socket.pause());
}
