import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Backend } from './backend.js';
import { sendError } from './errors.js';
import type { KeyRow } from './keys.js';

declare module 'fastify' {
  interface FastifyRequest {
    key: KeyRow | undefined;
  }
}

type Window = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>;

const REALM = 'Bearer realm="petstore"';
const HOW = 'Send it as "Authorization: Bearer <API key>".';
const ANONYMOUS = {
  perMinute: Number(process.env['ANONYMOUS_PER_MINUTE']),
  perDay: Number(process.env['ANONYMOUS_PER_DAY']),
};

/** Both windows share one store, so their counters need different names. */
const nameIn =
  (window: string) =>
  ({ key, ip }: FastifyRequest) =>
    `${window}-${key?.accountId ?? ip}`;

/** Looks up the key first, then counts the request in both windows, per account or, without a key, per address. */
export async function admitRequests(server: FastifyInstance, { findKey, counters }: Backend): Promise<void> {
  await server.register(rateLimit, { global: false, ...counters });
  const minute = server.createRateLimit({
    timeWindow: '1 minute',
    keyGenerator: nameIn('minute'),
    max: ({ key }) => (key ?? ANONYMOUS).perMinute,
  });
  const day = server.createRateLimit({
    timeWindow: '1 day',
    keyGenerator: nameIn('day'),
    max: ({ key }) => (key ?? ANONYMOUS).perDay,
  });

  server.decorateRequest('key', undefined);
  server.addHook('onRequest', async (request, reply) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) {
      const found = findKey(token);
      request.key = found instanceof Promise ? await found : found;
    }
    // Start both at once, because each takes several turns of the event loop.
    const taken = [minute(request), day(request)] as const;
    const window = tightest(await taken[0], await taken[1]);
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'private, no-cache');
    reply.header('vary', 'Authorization');
    if (showWindow(reply, window)) {
      reply.header('cache-control', 'no-store');
      return sendError(reply, 429, 'rate_limit_exceeded', 'The limit is exhausted.');
    }
    return request.key === undefined ? refuse(reply, token) : undefined;
  });
}

function tightest(minute: Window, day: Window): Window {
  return !minute.isAllowed && !day.isAllowed && minute.remaining < day.remaining ? minute : day;
}

/** @returns true if the window is exhausted */
function showWindow(reply: FastifyReply, window: Window): boolean {
  if (window.isAllowed) return false;
  reply.header('x-ratelimit-limit', window.max);
  reply.header('x-ratelimit-remaining', window.remaining);
  reply.header('x-ratelimit-reset', Math.floor(Date.now() / 1000) + window.ttlInSeconds);
  if (window.isExceeded) reply.header('retry-after', window.ttlInSeconds);
  return window.isExceeded;
}

function refuse(reply: FastifyReply, token: string | undefined): FastifyReply {
  reply.header('cache-control', 'no-store');
  if (token !== undefined) {
    reply.header('www-authenticate', `${REALM}, error="invalid_token"`);
    return sendError(reply, 401, 'invalid_api_key', 'The API key is not valid.');
  }
  reply.header('www-authenticate', REALM);
  return sendError(reply, 401, 'missing_api_key', `This operation needs an API key. ${HOW}`);
}
