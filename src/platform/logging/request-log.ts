import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Env } from '../config/env.js';

/** The route label of unmatched requests in logs and metrics. */
export const UNMATCHED_ROUTE = 'unmatched';

/** The fields of a request in a log line. */
export function requestFields(request: FastifyRequest) {
  return {
    requestId: request.id,
    method: request.method,
    // The pattern; never the path, which may contain a key by mistake.
    route: request.routeOptions.url ?? UNMATCHED_ROUTE,
    durationMs: Math.round((performance.now() - request.receivedAtMs) * 100) / 100,
    keyId: request.caller?.keyId,
    accountId: request.caller?.accountId,
  };
}

/** Logs each response at the level `debug`. At other levels it adds no hook, because that costs a fifth of a request. */
export function logRequests(server: FastifyInstance, { LOG_LEVEL }: Env): void {
  if (LOG_LEVEL !== 'debug' && LOG_LEVEL !== 'trace') return;
  const logger = new Logger('Requests');
  server.addHook('onResponse', (request, reply, done) => {
    logger.debug({ message: 'request', ...requestFields(request), status: reply.statusCode });
    done();
  });
}
