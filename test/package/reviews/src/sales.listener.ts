import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { BeforeCommit, type DomainEvent } from 'petstore-service';
import type { EntityManager } from 'typeorm';
import { AverageRatingJob } from './average-rating.job.js';
import { Review } from './review.entity.js';

/** Nobody needs reviews of a pet that is sold. */
@Injectable()
export class SalesListener {
  constructor(private readonly averageRating: AverageRatingJob) {}

  /** In the transaction of the sale: if this fails, the pet is not sold. */
  @BeforeCommit('order.delivered')
  async removeReviews({ after: { petId } }: DomainEvent<'order.delivered'>, manager: EntityManager): Promise<void> {
    await manager.delete(Review, { petId });
  }

  /** After the commit: if this fails, the sale stands. */
  @OnEvent('order.delivered')
  computeAverage(): Promise<void> {
    return this.averageRating.run();
  }
}
