import type { OperationOptions, OwnErrorCode } from 'petstore-service';
import { ReviewResponse } from './review.dto.js';

const EXISTS = 'The account has reviewed the pet already.';
const LIMIT_REACHED = 'The plan of the account allows no more reviews.';
export const REVIEW_EXISTS: OwnErrorCode = { code: 'review_exists', status: 409, meaning: EXISTS };
export const REVIEW_LIMIT_REACHED: OwnErrorCode = { code: 'review_limit_reached', status: 403, meaning: LIMIT_REACHED };

const REVIEW = { status: 200, description: 'The review.', type: ReviewResponse } as const;
const READ = { scope: 'reviews:read', stability: 'beta', success: REVIEW, errors: ['not_found'] } as const;
const WRITE = { ...READ, scope: 'reviews:write' } as const;
const REMOVE = { ...WRITE, success: { status: 204, description: 'The review is removed.' } } as const;

export const CREATE_REVIEW: OperationOptions = {
  ...WRITE,
  id: 'createReview',
  summary: 'Review a pet',
  success: { ...REVIEW, status: 201, headers: ['Location', 'ETag'] },
  errors: ['pet_not_found', REVIEW_EXISTS, REVIEW_LIMIT_REACHED],
};
export const LIST_REVIEWS: OperationOptions = {
  ...READ,
  id: 'listReviews',
  summary: 'List reviews, best first',
  errors: [],
  success: { status: 200, description: 'A page of reviews.', type: [ReviewResponse], headers: ['Link', 'ETag'] },
};
export const GET_REVIEW: OperationOptions = { ...READ, id: 'getReview', summary: 'Get a review' };
export const CHANGE_REVIEW: OperationOptions = { ...WRITE, id: 'changeReview', summary: 'Change a review' };
export const REMOVE_REVIEW: OperationOptions = { ...REMOVE, id: 'removeReview', summary: 'Remove a review' };
