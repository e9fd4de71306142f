import { Injectable } from '@nestjs/common';
import { Database, RecurringTask } from 'petstore-service';
import { Gauge, Registry } from '@prometheus-io/client';
import { Review } from './review.entity.js';

/** Milliseconds between two computations. */
const INTERVAL_MS = 60_000;

/** Computes the average rating for operators from time to time, as it reads all reviews. */
@Injectable()
export class AverageRatingJob extends RecurringTask {
  constructor(database: Database, registry: Registry) {
    const help = 'Average rating of all reviews; 0 if there are none.';
    const gauge = new Gauge({ name: 'petstore_reviews_average_rating', help, registers: [registry] });
    super('Average rating', INTERVAL_MS, async () => {
      gauge.set(Number(await database.manager.average(Review, 'rating')));
    });
  }
}
