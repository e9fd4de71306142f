import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Env } from '../../platform/config/env.js';
import { currentTraceId, UNMATCHED_ROUTE } from '../../platform/tracing/spans.js';
import type { ResponseListener } from './responses.js';

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

/** Logs requests: all, a sample or none. */
export function requestLog({ ACCESS_LOG, LOG_LEVEL }: Env): ResponseListener {
  const logsAll = ACCESS_LOG === 'all' || LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace';
  const share = logsAll ? 1 : ACCESS_LOG === 'off' ? 0 : SAMPLE;
  const logger = new Logger('Requests');
  return (request, { statusCode: status }, payload) => {
    if (Math.random() >= share) return;
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : undefined;
    logger.log({ message: 'request', ...requestFields(request), status, bytes });
  };
}
