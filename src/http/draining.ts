import type { FastifyInstance } from 'fastify';

/** How long clients that are busy may notice that their connections are about to end, in milliseconds. */
const NOTICE_MS = 100;
/** How often connections are looked at that were busy when the service began to close, in milliseconds. */
const CHECK_INTERVAL_MS = 100;
/** When what is still open is cut off, such as half a request that never goes on, in milliseconds. */
const DEADLINE_MS = 30_000;

/**
 * Lets the service close as soon as the last answer is out: answers from then on end their connection, and connections
 * that end up idle all the same, having been answered before, are closed.
 * @param isEnding whether the service is about to close: connections end then already
 * @param deadlineMs from the beginning to the end, at the latest
 */
export function addDraining(server: FastifyInstance, isEnding: () => boolean, deadlineMs = DEADLINE_MS): void {
  let draining = false;
  server.addHook('preClose', (done) => {
    draining = true;
    const timer = setInterval(() => server.server.closeIdleConnections(), CHECK_INTERVAL_MS);
    const deadline = setTimeout(() => server.server.closeAllConnections(), deadlineMs);
    server.server.once('close', () => {
      clearInterval(timer);
      clearTimeout(deadline);
    });
    setTimeout(done, NOTICE_MS);
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (draining || isEnding()) reply.header('connection', 'close');
    done(null, payload);
  });
}
