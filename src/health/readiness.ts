import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';

export interface ReadinessReport {
  readonly status: 'ready';
  readonly database: 'up';
}

/** Whether the service can serve requests. */
@Injectable()
export class Readiness {
  constructor(private readonly database: Database) {}

  /** @throws ApiError `service_unavailable` */
  async report(): Promise<ReadinessReport> {
    await this.database.read((manager) => manager.query('SELECT 1'));
    return { status: 'ready', database: 'up' };
  }
}
