import type { Server } from 'node:http';

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
