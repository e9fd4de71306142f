import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { Public } from '../auth/index.js';
import { compress, SharedFile } from '../compression/index.js';
import { SharedResult } from './shared-result.js';

/** How often per second the text is rendered: it takes some milliseconds of the event loop, and anybody can request it. */
const MAX_TEXTS_PER_SECOND = 20;

/** The endpoint for Prometheus; not part of the versioned API. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  private readonly file: SharedResult<SharedFile>;

  constructor(registry: Registry) {
    const render = async () => new SharedFile(registry.contentType, Buffer.from(await registry.metrics()));
    this.file = new SharedResult(render, MAX_TEXTS_PER_SECOND);
  }

  @Get()
  @Public()
  @Header('cache-control', 'no-store')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    const { body } = await compress(reply, await this.file.get());
    // Not returned, because an interceptor of an extension may wrap whatever handlers return.
    await reply.send(body);
  }
}
