import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** In whose name a request is made, once it is admitted. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** When its headers were received, on the clock of `performance.now()`. */
    receivedAtMs: number;
    rawBody: Buffer | undefined;
    /** Set while a transaction waits for the response of its request. Rejects with the error to send instead. */
    commitWith: ((body: unknown) => Promise<void>) | undefined;
  }

  interface FastifyContextConfig {
    bodyLimitBytes?: number | undefined;
    /** Set by `@Operation()` for a handler without `@Query()`. */
    takesNoQuery?: boolean;
    /** Set by `@Deprecated()`, whose interceptor announces that before it refuses a request. */
    isDeprecated?: true;
    readonly isMethodUnknown?: true;
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

/** A request id that is accepted from clients and logged: no API key. */
const ACCEPTABLE = /^(?!.*psk)[\w.-]{1,64}$/i;

export function requestId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

// Nest's `switchToHttp()` creates three functions each time.
export const requestOf = (context: ArgumentsHost) => context.getArgByIndex<FastifyRequest>(0);
export const replyOf = (context: ArgumentsHost) => context.getArgByIndex<FastifyReply>(1);
