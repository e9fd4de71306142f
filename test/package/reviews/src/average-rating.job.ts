import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Database, RecurringTask } from 'petstore-service';
import { Gauge, Registry } from 'prom-client';
import { Review } from './review.entity.js';
import { ReviewSettings } from './review.settings.js';

/** Computes the average rating for operators from time to time, as it reads all reviews. */
@Injectable()
export class AverageRatingJob implements OnModuleInit, OnApplicationShutdown {
  private readonly task: RecurringTask;

  constructor(database: Database, { REVIEWS_AVERAGE_INTERVAL }: ReviewSettings, registry: Registry) {
    const help = 'Average rating of all reviews; 0 if there are none.';
    const gauge = new Gauge({ name: 'petstore_reviews_average_rating', help, registers: [registry] });
    this.task = new RecurringTask('Average rating', REVIEWS_AVERAGE_INTERVAL * 1_000, async () => {
      gauge.set(Number(await database.read((manager) => manager.average(Review, 'rating'))));
    });
  }

  onModuleInit(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
