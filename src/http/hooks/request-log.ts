import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Env } from '../../platform/config/env.js';
import { currentTraceId, UNMATCHED_ROUTE } from '../../platform/tracing/spans.js';

const SAMPLE = 0.01;

/** The trace id of the traceparent header (W3C Trace Context, section 3.2). */
const TRACE_ID = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

export function requestFields(request: FastifyRequest) {
  return {
    requestId: request.id,
    traceId: currentTraceId() ?? TRACE_ID.exec(String(request.headers['traceparent']))?.[1],
    method: request.method,
    // The pattern; never the path, which may contain a key by mistake.
    route: request.routeOptions.url ?? UNMATCHED_ROUTE,
    durationMs: Math.round((performance.now() - request.receivedAtMs) * 100) / 100,
    keyId: request.principal?.keyId,
    accountId: request.principal?.accountId,
  };
}

/** Logs requests when their responses are about to be sent: all, or a sample. Without either, it adds no hook. */
export function logRequests(server: FastifyInstance, { ACCESS_LOG, LOG_LEVEL }: Env): void {
  const isVerbose = LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace';
  if (ACCESS_LOG === 'off' && !isVerbose) return;
  const share = ACCESS_LOG === 'all' || isVerbose ? 1 : SAMPLE;
  const logger = new Logger('Requests');
  server.addHook('onSend', (request, reply, payload, done) => {
    if (Math.random() < share) {
      const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : undefined;
      logger.log({ message: 'request', ...requestFields(request), status: reply.statusCode, bytes });
    }
    done(null, payload);
  });
}
