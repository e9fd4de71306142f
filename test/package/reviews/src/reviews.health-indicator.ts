import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Database, type HealthIndicator } from 'petstore-service';
import { Review } from './review.entity.js';

/** The table of reviews can be read. */
@Injectable()
export class ReviewsHealthIndicator implements HealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  async check(): Promise<HealthIndicatorResult> {
    await this.database.manager.exists(Review);
    return this.indicators.check('reviews').up();
  }
}
