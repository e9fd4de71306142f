import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { Env } from '../config/index.js';
import { answerClientError } from './client-error.js';
import { requestId } from './request-id.js';
import { normaliseTarget } from './request-target.js';

/** Slow clients: the headers must be there within 10 s, the whole request within 30 s. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often those two are looked at. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** Longer than load balancers commonly keep idle connections, so that they close them first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** No path segment is longer than the headers may be, so that none is refused by the router before admission. */
const MAX_PARAM_LENGTH = 65_536;

/** Makes the Fastify instance below Nest, so that every request reaches the hooks, whatever is odd about it. */
export function createServer(env: Env): FastifyInstance {
  const server = fastify({
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // Node would answer a missing Host by itself, with an empty body.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: env.TRUST_PROXY.length > 0 ? env.TRUST_PROXY : false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => normaliseTarget(url),
    genReqId: requestId,
    clientErrorHandler: answerClientError,
  });
  // A client may close its side when the request is out, and still reads the answer. Node's types do not have it.
  Object.assign(server.server, { httpAllowHalfOpen: true });
  // Fastify is to route all methods that Node knows, and to leave bodies to the handlers, who read them after the guards.
  for (const method of METHODS) server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  server.decorateRequest('caller', undefined);
  server.decorateRequest('rawBody', undefined);
  // Node would ask for the body before admission, and refuse other expectations, which RFC 9110 section 10.1.1 lets be
  // ignored. Who reads a body sends 100 Continue.
  const handle = (message: IncomingMessage, response: ServerResponse) => server.server.emit('request', message, response);
  server.server.on('checkContinue', handle).on('checkExpectation', handle);
  server.server.on('connect', (_message: IncomingMessage, socket: Socket) => answerClientError(new Error('CONNECT'), socket));
  return server;
}
