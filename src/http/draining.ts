import type { FastifyInstance } from 'fastify';

/** How often connections are looked at that were busy when the service began to close, in milliseconds. */
const CHECK_INTERVAL_MS = 100;

/**
 * Lets the service close as soon as the last answer is out: answers from then on end their connection, and connections
 * that end up idle all the same, having been answered before, are closed.
 */
export function addDraining(server: FastifyInstance): void {
  let draining = false;
  server.addHook('preClose', (done) => {
    draining = true;
    const timer = setInterval(() => server.server.closeIdleConnections(), CHECK_INTERVAL_MS);
    server.server.once('close', () => clearInterval(timer));
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('Connection', 'close');
    done(null, payload);
  });
}
