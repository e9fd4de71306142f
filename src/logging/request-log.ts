import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Env } from '../config/index.js';

/** Logs a line for each answer, at level `debug`; below that nothing is added to requests, which it would slow by a fifth. */
export function logRequests(server: FastifyInstance, { LOG_LEVEL }: Env): void {
  if (LOG_LEVEL !== 'debug' && LOG_LEVEL !== 'trace') return;
  const logger = new Logger('Requests');
  server.addHook('onResponse', (request, reply, done) => {
    logger.debug({
      message: 'request',
      requestId: request.id,
      method: request.method,
      // Not the URL, in which somebody may have put a key.
      route: request.is404 ? 'unmatched' : request.routeOptions.url,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      keyId: request.caller?.keyId,
    });
    done();
  });
}
