import type { OperationOptions, OwnErrorCode } from 'petstore-service';
import { ReviewResponse } from './review.dto.js';

export const REVIEW_EXISTS: OwnErrorCode = {
  code: 'review_exists',
  status: 409,
  meaning: 'The account has reviewed the pet already.',
};
export const REVIEW_LIMIT_REACHED: OwnErrorCode = {
  code: 'review_limit_reached',
  status: 403,
  meaning: 'The plan of the account allows no more reviews.',
};

const READ = { scope: 'reviews:read', stability: 'beta' } as const;
const WRITE = { scope: 'reviews:write', stability: 'beta' } as const;

const REVIEW = { status: 200, description: 'The review.', type: ReviewResponse } as const;

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
  success: { status: 200, description: 'A page of reviews.', type: [ReviewResponse], headers: ['Link', 'ETag'] },
  errors: [],
};

export const GET_REVIEW: OperationOptions = {
  ...READ,
  id: 'getReview',
  summary: 'Get a review',
  success: REVIEW,
  errors: ['not_found'],
};

export const CHANGE_REVIEW: OperationOptions = {
  ...WRITE,
  id: 'changeReview',
  summary: 'Change a review of the account',
  success: REVIEW,
  errors: ['not_found'],
};

export const REMOVE_REVIEW: OperationOptions = {
  ...WRITE,
  id: 'removeReview',
  summary: 'Remove a review of the account',
  success: { status: 204, description: 'The review is removed.' },
  errors: ['not_found'],
};
