import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ApiError, type Caller, Database, forUpdate, lockUntilCommit } from 'petstore-service';
import { type Page, PetsService, query, readPage } from 'petstore-service';
import { Raw, type Repository } from 'typeorm';
import type { ListReviewsQuery, ReviewCreation, ReviewChange, ReviewResponse } from './review.dto.js';
import { Review } from './review.entity.js';
import { REVIEW_EXISTS, REVIEW_LIMIT_REACHED } from './reviews.operations.js';

/** Most reviews that an account on the Free plan can have. */
const MOST_ON_FREE = 2;

/** Names a review, which only its account can write. */
type OwnReview = Pick<Review, 'accountId'> & { readonly id: string };

@Injectable()
export class ReviewsService {
  constructor(
    @InjectRepository(Review) private readonly reviews: Repository<Review>,
    private readonly database: Database,
    private readonly pets: PetsService,
  ) {}

  /** @throws ApiError `pet_not_found`, `review_exists` or `review_limit_reached` */
  create(review: ReviewCreation, { accountId, plan }: Caller): Promise<ReviewResponse> {
    return this.database.write(async (manager) => {
      await this.pets.get(String(review.petId));
      // Otherwise two requests at once could both find room.
      await lockUntilCommit(manager, `reviews ${accountId}`);
      const petId = Number(review.petId);
      if (await this.reviews.existsBy({ accountId, petId }))
        throw new ApiError(REVIEW_EXISTS, 'The account has reviewed this pet already. Change that review.');
      if (plan === 'free' && (await this.reviews.countBy({ accountId })) >= MOST_ON_FREE)
        throw new ApiError(REVIEW_LIMIT_REACHED, `The Free plan allows ${MOST_ON_FREE} reviews. Remove one.`);
      return shown(await this.reviews.save({ ...review, petId, accountId }));
    });
  }

  /** Best first. */
  async list({ petId, ...request }: ListReviewsQuery): Promise<Page<ReviewResponse>> {
    const reviews = this.reviews.createQueryBuilder('review');
    if (petId !== undefined) reviews.where({ petId });
    const { items, nextAfter } = await readPage(reviews, { rating: 'DESC' }, request);
    return { items: items.map(shown), nextAfter };
  }

  async get(id: string): Promise<ReviewResponse> {
    return shown(await this.find({ id }));
  }

  async change(own: OwnReview, change: ReviewChange): Promise<ReviewResponse> {
    return shown(await this.write(own, (review) => this.reviews.save({ ...review, ...change })));
  }

  async remove(own: OwnReview): Promise<void> {
    await this.write(own, (review) => this.reviews.remove(review));
  }

  private write(own: OwnReview, work: (review: Review) => Promise<Review>): Promise<Review> {
    return this.database.write(async (manager) => {
      // Otherwise, one of two changes at once could be lost, or bring back what the other removed.
      await query(manager, `SELECT 1 FROM "reviews" WHERE "id" = ?${forUpdate(manager, 'reviews')}`, [own.id]);
      return work(await this.find(own));
    });
  }

  private async find({ id, ...owner }: Partial<OwnReview>): Promise<Review> {
    // A number would round large identifiers.
    const review = await this.reviews.findOneBy({ ...owner, id: Raw((column) => `${column} = :id`, { id }) });
    if (review === null) throw reviewNotFound();
    return review;
  }
}

export const reviewNotFound = () => new ApiError('not_found', 'There is no such review, or it is of another account.');

function shown({ id, petId, rating, text }: Review): ReviewResponse {
  return { id, petId, rating, text };
}
