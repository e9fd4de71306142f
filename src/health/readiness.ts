import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../database/index.js';
import { ApiError } from '../errors/index.js';

export interface ReadinessReport {
  readonly status: 'ready';
  readonly database: 'up';
}

/** Whether the service can serve requests. */
@Injectable()
export class Readiness implements OnModuleDestroy {
  private shuttingDown = false;

  constructor(private readonly database: Database) {}

  /** @throws ApiError `service_unavailable` */
  async report(): Promise<ReadinessReport> {
    if (this.shuttingDown) throw new ApiError('service_unavailable', 'The service is shutting down.', { 'Retry-After': '1' });
    await this.database.read((manager) => manager.query('SELECT 1'));
    return { status: 'ready', database: 'up' };
  }

  /** Comes before the server stops to listen, so that load balancers notice in time. */
  onModuleDestroy(): void {
    this.shuttingDown = true;
  }
}
