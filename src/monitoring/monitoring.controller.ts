import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { Public } from '../auth/index.js';
import { CompressedFile } from '../http/index.js';
import { VERSION } from '../platform/index.js';
import { Readiness, type ReadinessReport } from './readiness.js';

/** For the platform; not part of the versioned API. */
@ApiExcludeController()
@Controller()
export class MonitoringController {
  private rendering: Promise<CompressedFile> | undefined;

  constructor(
    private readonly readiness: Readiness,
    private readonly registry: Registry,
  ) {}

  /** The process runs and responds. */
  @Get('health/live')
  @Public()
  @Header('cache-control', 'no-store')
  live(): { status: 'live'; version: string } {
    return { status: 'live', version: VERSION };
  }

  /** The service can serve requests: its dependencies are available. */
  @Get('health/ready')
  @Public()
  @Header('cache-control', 'no-store')
  ready(): Promise<ReadinessReport> {
    return this.readiness.report();
  }

  /** For Prometheus. */
  @Get('metrics')
  @Public()
  @Header('cache-control', 'no-store')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    // Shared by concurrent requests: it takes about a millisecond, and anybody can request it.
    this.rendering ??= this.renderMetrics().finally(() => (this.rendering = undefined));
    const { body } = await (await this.rendering).negotiate(reply);
    // Not returned, because an interceptor of an extension may wrap whatever handlers return.
    await reply.send(body);
  }

  private async renderMetrics(): Promise<CompressedFile> {
    return new CompressedFile(this.registry.contentType, Buffer.from(await this.registry.metrics()));
  }
}
