import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ApiExceptionFilter } from './api-exception.filter.js';
import { errorJson, INTERNAL_ERROR, writeHead } from './problem.js';

/** Headers that a response has because of its request. */
const OF_REQUEST = /^(?:vary|(?:x-)?ratelimit(?:-\w+)?|access-control-.+|deprecation|sunset)$/;
/** Headers that Node sets: others would contradict how it writes the body. */
const OF_CONNECTION = /^(?:transfer-encoding|trailer)$/;
/** Headers that describe a response (RFC 9110, sections 8 and 10.2). */
const OF_RESPONSE = /^(?:content-(?!security).+|etag|last-modified|location)$/;

/**
 * Sends an Error in place of a response whose head Node cannot write, whoever set its headers. Add it before hooks that
 * observe or store responses.
 */
export function replaceUnwritableHeads(server: FastifyInstance, filter: ApiExceptionFilter): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const fault = headFault(reply);
    if (fault === undefined) return done(null, payload);
    filter.report(request, INTERNAL_ERROR, fault);
    if (payload instanceof Readable) payload.destroy();
    else if (payload instanceof ReadableStream) payload.cancel().catch(() => undefined);
    removeHeaders(reply, (name, value) => !OF_REQUEST.test(name) || valueFault(name, value) !== undefined);
    writeHead(reply, INTERNAL_ERROR);
    done(null, errorJson(INTERNAL_ERROR));
  });
}

/** Removes what a handler said of its response before it failed. Links of a deprecated operation remain. */
export function forgetResponse(reply: FastifyReply): void {
  const hasPages = !reply.hasHeader('deprecation');
  removeHeaders(reply, (name) => OF_RESPONSE.test(name) || (hasPages && name === 'link'));
}

function removeHeaders(reply: FastifyReply, isRemoved: (name: string, value: unknown) => boolean): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (isRemoved(name, value)) reply.removeHeader(name);
  // Node keeps that of its first attempt to write.
  reply.raw.statusMessage = '';
}

/** Why Node cannot write the head of a response, or why it would be no final one (RFC 9110, section 15). */
function headFault(reply: FastifyReply): unknown {
  const { statusCode, statusMessage } = reply.raw;
  if (statusCode < 200 || statusCode > 599) return new RangeError(`${statusCode} is no status of a final response`);
  const headers = reply.getHeaders();
  for (const name in headers) {
    if (OF_CONNECTION.test(name)) return new TypeError(`${name} is a matter of the connection`);
    const fault = valueFault(name, headers[name]);
    if (fault !== undefined) return fault;
  }
  return statusMessage ? valueFault('reason-phrase', statusMessage) : undefined;
}

function valueFault(name: string, value: unknown): unknown {
  try {
    validateHeaderName(name);
    // Node converts values to text, also those that its types do not allow.
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(name, one as string);
    return undefined;
  } catch (error) {
    return error;
  }
}
