import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/index.js';

/** Nest on Fastify, with our words for what no route answers. */
export class ApiAdapter extends FastifyAdapter {
  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance<FastifyInstance>().setNotFoundHandler(() => {
      throw new ApiError('route_not_found', 'There is nothing at this path.');
    });
  }
}
