import { createServer as createHttpServer, METHODS } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Env } from '../platform/config/env.js';
import { handleClientError, headersTooLarge, logRefusedConnections } from './connections/client-error.js';
import { MAX_HEADERS, refuseConnection, toError } from './connections/client-error.js';
import { closeStalledSockets, handleOneAtATime, refuseTunnel } from './connections/closing.js';
import { readInTurn } from './connections/read-in-turn.js';
import type { ApiError } from './errors/api-error.js';
import { MAX_PARAM_LENGTH } from './hooks/routed-paths.js';
import { METHODS_WITH_BODY } from './requests/bodies.js';
import { normaliseTarget, requestId } from './requests/request.js';

/** Creates the Fastify instance below Nest. Every request reaches the hooks, however malformed. */
export function createServer(env: Env): FastifyInstance {
  const server = fastify({
    serverFactory: (handle: RequestListener) => createNodeServer(handle, env),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: env.TRUST_PROXY.length > 0 ? env.TRUST_PROXY : false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: normaliseTarget,
    genReqId: requestId,
    clientErrorHandler: handleClientError,
  });
  // Routes all methods that Node knows; only some have a body.
  for (const method of METHODS)
    server.addHttpMethod(method, { hasBody: METHODS_WITH_BODY.has(method), overrideExisting: true });
  server.decorateRequest('rawBody', undefined);
  // Node would send 100 Continue before admission, and refuse other expectations, which may be ignored (RFC 9110, section
  // 10.1.1). The body parser sends 100 Continue.
  const handle = (message: IncomingMessage, response: ServerResponse) =>
    server.server.emit('request', message, response);
  server.server.on('checkContinue', handle).on('checkExpectation', handle);
  server.server.on('connect', (_request: IncomingMessage, socket: Socket) => refuseTunnel(socket));
  return server;
}

function createNodeServer(handle: RequestListener, env: Env): Server {
  const options = {
    // Slow clients, in milliseconds.
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: env.KEEP_ALIVE_SECONDS * 1_000,
    // Node would respond to a missing Host itself, with an empty body.
    requireHostHeader: false,
  };
  const handleHttp: RequestListener = (request, response) => {
    // Node drops bytes that it read after an Upgrade, so what follows them would not be a request.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const fault = headFault(request);
    if (fault === undefined) handle(request, response);
    else refuseConnection(server, request.socket, fault);
  };
  const server = createHttpServer(options, handleOneAtATime(handleHttp));
  server.maxConnections = env.MAX_CONNECTIONS;
  // Node drops further ones, so one more shows that there are too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  logRefusedConnections(server);
  readInTurn(server);
  closeStalledSockets(server);
  // A client may close its side after the request and still read the response. Missing from Node's types.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** The error of a request that Node parses although it is not one of HTTP/1.0 or 1.1, or has too many headers. */
function headFault({ httpVersion, method = '', rawHeaders }: IncomingMessage): ApiError | undefined {
  if (rawHeaders.length / 2 > MAX_HEADERS) return headersTooLarge();
  if (!/^1\.[01]$/.test(httpVersion)) return toError('HPE_INVALID_VERSION');
  return METHODS.includes(method) ? undefined : toError('HPE_INVALID_METHOD');
}

/** Refuses to send an empty body as JSON, which clients could not parse. */
export class ApiAdapter extends FastifyAdapter {
  override reply(response: FastifyReply | ServerResponse, body: unknown, statusCode?: number): FastifyReply {
    if ((body === undefined || body === null) && 'request' in response && hasJson(response, statusCode))
      throw new TypeError(`The handler returned ${String(body)} for the body of success. Is a return missing?`);
    return super.reply(response, body, statusCode);
  }
}

const WITHOUT_BODY = new Set([204, 205]);

/** Whether a handler has declared JSON, and not sent a response itself. */
function hasJson(reply: FastifyReply, status = reply.statusCode): boolean {
  if (reply.sent || reply.request.method === 'HEAD' || WITHOUT_BODY.has(status)) return false;
  return status >= 200 && status <= 299 && String(reply.getHeader('content-type')).startsWith('application/json');
}
