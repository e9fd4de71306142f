import { Controller, Get, Header, Logger, type OnApplicationBootstrap, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { register, Registry } from '@prometheus-io/client';
import { Public } from '../auth/access.decorators.js';
import { CompressedFile } from '../http/compressed-file.js';
import { SampledLog } from '../platform/logging/sampled-log.js';
import { VERSION } from '../platform/config/env.js';
import { Readiness, type ReadinessReport } from './readiness.js';

const MAX_AGE_MS = 1_000;

/** For the platform; not part of the versioned API. */
@ApiExcludeController()
@Controller()
export class MonitoringController implements OnApplicationBootstrap {
  private rendering: Promise<CompressedFile> | undefined;
  private readonly unread = new SampledLog('Metrics', 'warn', {
    first: 'a metric cannot be read',
    others: 'a metric could not be read again',
  });

  constructor(
    private readonly readiness: Readiness,
    private readonly registry: Registry,
  ) {}

  onApplicationBootstrap(): void {
    const metrics = register.getMetricsAsArray().map(({ name }) => name);
    if (metrics.length === 0) return;
    const message = '/metrics does not have these metrics: inject Registry, and pass it to them in `registers`';
    new Logger('Metrics').warn({ message, metrics });
  }

  @Get('health/live')
  @Public()
  @Header('cache-control', 'no-store')
  live(): { status: 'live'; version: string } {
    return { status: 'live', version: VERSION };
  }

  @Get('health/ready')
  @Public()
  @Header('cache-control', 'no-store')
  ready(): Promise<ReadinessReport> {
    return this.readiness.report();
  }

  @Get('metrics')
  @Public()
  @Header('cache-control', 'no-store')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    // Rendered once a second, because anybody can request it.
    this.rendering ??= this.renderMetrics().finally(() => {
      setTimeout(() => (this.rendering = undefined), MAX_AGE_MS).unref();
    });
    const { body } = await (await this.rendering).negotiate(reply);
    // Not returned, because an interceptor of an extension may wrap whatever handlers return.
    await reply.send(body);
  }

  private async renderMetrics(): Promise<CompressedFile> {
    const texts = this.registry.getMetricsAsArray().map(({ name }) =>
      this.registry.getSingleMetricAsString(name).catch((error: unknown) => {
        this.unread.add({ metric: name }, { error: String(error) });
        return '';
      }),
    );
    return new CompressedFile(this.registry.contentType, Buffer.from(`${(await Promise.all(texts)).join('\n\n')}\n`));
  }
}
