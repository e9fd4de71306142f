import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/index.js';

type AnyHook = (name: string, hook: unknown) => FastifyInstance;

/** Nest on Fastify, with our words for what no route answers, and with answers that need no body. */
export class ApiAdapter extends FastifyAdapter {
  constructor(server: FastifyInstance) {
    const { addHook } = server;
    // Nest adds an idle `onResponse` hook. Any such hook makes Fastify listen for the end of each response: 8 % of getPet.
    const addOthers: AnyHook = (name, hook) => (name === 'onResponse' ? server : (addHook as AnyHook).call(server, name, hook));
    server.addHook = addOthers as typeof addHook;
    super(server);
    server.addHook = addHook;
  }

  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>().setNotFoundHandler(() => {
      throw new ApiError('route_not_found', 'There is nothing at this path.');
    });
  }

  /** Nest gives an answer the status that its route declares, even where the handler has found that it is 304. */
  override reply(reply: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    return super.reply(reply, body, reply.statusCode === 304 ? undefined : statusCode);
  }
}
