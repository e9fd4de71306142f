import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';

/** Nest on Fastify, with our words for what no route answers, and with text sent as it is. */
export class ApiAdapter extends FastifyAdapter {
  constructor(server: FastifyInstance) {
    const { addHook } = server;
    // Nest adds seven hooks for what this service does by itself or does not have (CORS, CSRF, closing, versions by header).
    // One of them, on `onResponse`, makes Fastify listen for the end of each response: 8 % of getPet.
    server.addHook = () => server;
    super(server);
    server.addHook = addHook;
  }

  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>().setNotFoundHandler(() => {
      throw new ApiError('route_not_found', 'There is nothing at this path.');
    });
  }

  /** Text, as handlers return JSON, needs none of what Nest does for streams, files, objects, and responses of Node's. */
  override reply(reply: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    return typeof body === 'string' && statusCode === undefined && 'send' in reply ? reply.send(body) : super.reply(reply, body, statusCode);
  }
}
