import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentTraceId, UNMATCHED_ROUTE } from '../../platform/tracing/spans.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** In whose name it is made, once it is admitted. */
    principal: { readonly keyId: string; readonly accountId: number } | undefined;
    /** When its headers were received, on the clock of `performance.now()`. */
    receivedAtMs: number;
    rawBody: Buffer | undefined;
    /** Set while a transaction waits for the response of its request. Rejects with the error to send instead. */
    commitWith: ((body: unknown) => Promise<void>) | undefined;
  }

  interface FastifyContextConfig {
    bodyLimitBytes?: number | undefined;
    /** Those of `@ApiConsumes()` below `@Operation()`. */
    mediaTypes?: readonly string[] | undefined;
    /** Set by `@Operation()` for a handler without `@Query()`. */
    takesNoQuery?: boolean;
    /** Set by `@Deprecated()`, whose interceptor announces that before it refuses a request. */
    isDeprecated?: true;
    idempotency?: 'accepted' | 'refused';
  }

  interface FastifyInstance {
    errorPage?: string;
  }
}

export const API_PREFIX = '/v1';
const VERSIONED = new RegExp(`^${API_PREFIX}(?:[/?]|$)`);

/** RFC 9112, section 3.2: the absolute form loses its authority, and invalid percent-encoding is taken literally. */
export function normaliseTarget({ url: target = '/' }: { readonly url?: string | undefined }): string {
  const originForm = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const rooted = originForm.startsWith('/') ? originForm : `/${originForm}`;
  // A target has no fragment, so `#` belongs to the path or the query.
  const whole = rooted.replaceAll('#', '%23');
  if (!whole.includes('%')) return whole;
  const path = pathOf(whole);
  return decode(path) === undefined ? path.replaceAll('%', '%25') + whole.slice(path.length) : whole;
}

/** Whether a normalised target is under the versioned API; the router decodes before it compares. */
export function isVersioned(target: string): boolean {
  return VERSIONED.test(target) || (target.includes('%') && VERSIONED.test(decode(pathOf(target)) ?? ''));
}

export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The router matches `/pets/` with `/pets/:petId`, but a trailing slash is another path. A wildcard may be empty. */
export function hasEmptyParam(params: FastifyRequest['params']): boolean {
  return Object.entries(params as object).some(([name, value]) => value === '' && name !== '*');
}

/** A request id that is accepted from clients and logged: no API key. */
const ACCEPTABLE = /^(?!.*psk)[\w.-]{1,64}$/i;

export function requestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

// Nest's `switchToHttp()` creates three functions each time.
export const requestOf = (context: ArgumentsHost) => context.getArgByIndex<FastifyRequest>(0);
export const replyOf = (context: ArgumentsHost) => context.getArgByIndex<FastifyReply>(1);

/** Whether a message has a body (RFC 9112, section 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** HTTP/1.0 has no Transfer-Encoding, so a proxy may see another end. The connection must close (RFC 9112, section 6.1). */
export function isMisframed({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

/** Whether a header was sent more than once. Requests of `app.inject()` have no `headersDistinct`. @param name in lower case */
export function isRepeated({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  const isGiven = (text: string, index: number) =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name;
  return rawHeaders.filter(isGiven).length > 1;
}

/** Whether Accept names a media type, and gives the usual one no higher weight (RFC 9110, section 12.5.1). */
export function prefers({ headers }: FastifyRequest, type: string, usual: string): boolean {
  const { accept = '' } = headers;
  const weight = weightOf(accept, type);
  return weight > 0 && weight >= weightOf(accept, usual);
}

function weightOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const [, ...parameters] = ranges.find(([name]) => name === type) ?? ['', 'q=0'];
  return Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? 1);
}

/** The trace id of the traceparent header (W3C Trace Context, section 3.2). */
const TRACE_ID = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** Of log lines about a request. */
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
