import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ResponseListener } from '../hooks/responses.js';
import { hasBody, isMisframed } from '../requests/message.js';

/** How long busy clients have to notice that their connections are about to close, in milliseconds. */
const NOTICE_MS = 100;
/** How often connections that were busy at the beginning are checked, in milliseconds. */
const CHECK_INTERVAL_MS = 100;
/** When open connections are cut off, such as those with half a request or an event stream, in milliseconds. */
const DEADLINE_MS = 8_000;
/** How long a client that is still sending has to read its response, in milliseconds. */
const LINGER_MS = 500;
/** Maximum number of bytes that are read and discarded meanwhile. */
const LINGER_BYTES = 1024 * 1024;

/**
 * When the service closes, it closes idle connections, and the others after their last response.
 * @returns closes a connection after the response if it cannot be reused: the request is incomplete, so the rest must not be
 * parsed as a request of its own; the end of the request is ambiguous; or the service is stopping
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

/**
 * Ends this side of a connection, and closes it when the client has ended its side, or after `LINGER_MS`. Closing with
 * unread bytes would reset the connection, and the client could lose the response (RFC 9112, section 9.6).
 */
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
