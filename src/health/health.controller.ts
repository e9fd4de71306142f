import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../openapi/index.js';
import { Metrics } from './metrics.js';
import { Readiness, type ReadinessReport } from './readiness.js';

/** For the platform that the service runs on; no part of the versioned API. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  /** The process runs and answers. */
  @Get('health/live')
  @Public()
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** The service can serve requests: its database answers. */
  @Get('health/ready')
  @Public()
  ready(): Promise<ReadinessReport> {
    return this.readiness.report();
  }

  @Get('metrics')
  @Public()
  async scrape(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type(this.metrics.contentType);
    return this.metrics.text();
  }
}
