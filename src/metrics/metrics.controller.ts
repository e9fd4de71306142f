import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { Public } from '../auth/index.js';
import { SharedText } from './shared-text.js';

/** How often per second the text is rendered: it takes some milliseconds of the event loop, and anybody can request it. */
const MAX_TEXTS_PER_SECOND = 20;

/** The endpoint for Prometheus; not part of the versioned API. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  private readonly text: SharedText;

  constructor(private readonly registry: Registry) {
    this.text = new SharedText(() => registry.metrics(), MAX_TEXTS_PER_SECOND);
  }

  @Get()
  @Public()
  @Header('cache-control', 'no-store')
  scrape(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type(this.registry.contentType);
    return this.text.get();
  }
}
