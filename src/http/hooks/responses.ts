import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiExceptionFilter } from '../errors/api-exception.filter.js';
import type { Env } from '../../platform/config/env.js';
import { requestFields } from '../requests/request.js';
import { INTERNAL_ERROR, removeHeaders, writeProblem } from '../errors/api-error.js';

/** Is called when a response is about to be sent. An `onResponse` hook would cost 8 % of getPet. */
export type ResponseListener = (request: FastifyRequest, reply: FastifyReply, payload: unknown) => void;

/** Replaces a response that Node cannot write, commits a transaction that waits for it, and calls the listeners in order. */
export function observeResponses(
  server: FastifyInstance,
  filter: ApiExceptionFilter,
  listeners: readonly ResponseListener[],
): void {
  server.decorateRequest('commitWith', undefined);
  // Asynchronous, so that early responses of one turn are written together: a tenth of each 401.
  server.addHook('onSend', async (request, reply, original) => {
    const payload = replaceUnwritable(request, reply, original, filter);
    const { commitWith } = request;
    if (commitWith !== undefined) {
      request.commitWith = undefined;
      await commitWith(payload);
    }
    for (const listener of listeners) listener(request, reply, payload);
    return payload;
  });
}

/** Checks the heads of responses again, after hooks that were added meanwhile. */
export function recheckHeads(server: FastifyInstance, filter: ApiExceptionFilter): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    done(null, replaceUnwritable(request, reply, payload, filter));
  });
}

/** Share of the requests that are logged by default. */
const SAMPLE = 0.01;

/** Logs requests: all, a sample or none. */
export function requestLog({ ACCESS_LOG, LOG_LEVEL }: Env): ResponseListener {
  const logsAll = ACCESS_LOG === 'all' || LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace';
  const share = logsAll ? 1 : ACCESS_LOG === 'off' ? 0 : SAMPLE;
  const logger = new Logger('Requests');
  return (request, { statusCode: status }, payload) => {
    if (Math.random() >= share) return;
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : undefined;
    logger.log({ message: 'request', ...requestFields(request), address: request.ip, status, bytes });
  };
}

/** Headers that a response has because of its request. */
const OF_REQUEST = /^(?:vary|(?:x-)?ratelimit(?:-\w+)?|access-control-.+|deprecation|sunset)$/;
/** Set by Node, as it writes the body. */
const OF_CONNECTION = /^(?:transfer-encoding|trailer)$/;

/** @returns the payload, or that of an Error if Node cannot write the head of the response, whoever set it */
function replaceUnwritable<Payload>(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
  filter: ApiExceptionFilter,
): Payload | string {
  const fault = headFault(reply);
  if (fault === undefined) return payload;
  filter.report(request, INTERNAL_ERROR, fault);
  if (payload instanceof Readable) payload.destroy();
  else if (payload instanceof ReadableStream) payload.cancel().catch(() => undefined);
  removeHeaders(reply, (name, value) => !OF_REQUEST.test(name) || fieldFault(name, value) !== undefined);
  return writeProblem(reply, INTERNAL_ERROR);
}

/** Why Node cannot write the head of a response, or why it would be no final one (RFC 9110, section 15). */
function headFault(reply: FastifyReply): unknown {
  const { statusCode, statusMessage } = reply.raw;
  if (statusCode < 200 || statusCode > 599)
    return new RangeError(`${statusCode} is not the status of a final response`);
  const headers = reply.getHeaders();
  for (const name in headers) {
    const value = headers[name];
    const valid = validFields.get(name);
    if (valid !== undefined && (value === valid || isPlain(value))) continue;
    if (OF_CONNECTION.test(name)) return new TypeError(`${name} belongs to the connection, not to the response`);
    const fault = fieldFault(name, value);
    if (fault !== undefined) return fault;
    if (validFields.size < MAX_VALID_FIELDS && isPlain(value)) validFields.set(name, value);
  }
  return statusMessage ? fieldFault('reason-phrase', statusMessage) : undefined;
}

/** The first valid value by name, because Node's checks would take a microsecond of each response. */
const validFields = new Map<string, unknown>();
const MAX_VALID_FIELDS = 1_000;

function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? !/[^\t\x20-\x7e\x80-\xff]/.test(value) : typeof value === 'number';
}

function fieldFault(name: string, value: unknown): unknown {
  try {
    validateHeaderName(name);
    // Node converts values to text, also those that its types do not allow.
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(name, one as string);
    return undefined;
  } catch (error) {
    return error;
  }
}
