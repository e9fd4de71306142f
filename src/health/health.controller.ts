import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/index.js';
import { Readiness, type ReadinessReport } from './readiness.js';

/** For the platform; not part of the versioned API. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs and responds. */
  @Get('live')
  @Public()
  @Header('cache-control', 'no-store')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** The service can serve requests: its dependencies are available. */
  @Get('ready')
  @Public()
  @Header('cache-control', 'no-store')
  ready(): Promise<ReadinessReport> {
    return this.readiness.report();
  }
}
