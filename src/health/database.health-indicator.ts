import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Database } from '../database/index.js';
import type { HealthIndicator } from './health-indicator.js';

@Injectable()
export class DatabaseHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    // If it fails, the response is the one of any request while the database is unavailable.
    await this.database.read((manager) => manager.query('SELECT 1'));
    return this.indicators.check('database').up();
  }
}
