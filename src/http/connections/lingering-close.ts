import type { Socket } from 'node:net';

/** How long a client that is still sending has to read its response, in milliseconds. */
const LINGER_MS = 500;
/** Maximum number of bytes that are read and discarded meanwhile. */
const LINGER_BYTES = 1024 * 1024;

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
