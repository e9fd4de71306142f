import type { Extension } from 'petstore-service';
import { CreateReviews1796083200000, Review } from './review.entity.js';
import { ReviewsHealthIndicator } from './reviews.health-indicator.js';
import { ReviewsModule } from './reviews.module.js';

/** Reviews of pets. Pass it to `startService` or `createApp`. */
export const REVIEWS: Extension = {
  module: ReviewsModule,
  entities: [Review],
  migrations: [CreateReviews1796083200000],
  scopes: ['reviews:moderate'],
  healthIndicators: [ReviewsHealthIndicator],
};
