import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type Caller,
  CurrentCaller,
  Deprecated,
  Env,
  Idempotent,
  Operation,
  OperationGroup,
  PathId,
  publicAddress,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPage,
} from 'petstore-service';
import { ListReviewsQuery, ReviewCreation, ReviewChange, type ReviewResponse } from './review.dto.js';
import { CHANGE_REVIEW, CREATE_REVIEW, GET_REVIEW, LIST_REVIEWS, REMOVE_REVIEW } from './reviews.operations.js';
import { reviewNotFound, ReviewsService } from './reviews.service.js';

const ReviewId = () => PathId('reviewId', { description: 'Identifier of the review.', notFound: reviewNotFound });

@OperationGroup('Reviews', 'What accounts say of pets.')
@Controller('reviews')
export class ReviewsController {
  constructor(
    private readonly reviews: ReviewsService,
    private readonly env: Env,
  ) {}

  @Post()
  @Operation(CREATE_REVIEW)
  @Idempotent()
  async create(
    @Body() review: ReviewCreation,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendCreated(reply, publicAddress(this.env, '/reviews'), await this.reviews.create(review, caller));
  }

  @Get()
  @Operation(LIST_REVIEWS)
  @Revalidates('Link')
  async list(@Query() query: ListReviewsQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/reviews'), query, await this.reviews.list(query));
  }

  @Get(':reviewId')
  @Operation(GET_REVIEW)
  @Deprecated({
    since: '2026-11-23',
    sunset: '2031-01-01',
    successor: '/v1/reviews',
    advice: 'List the reviews of the pet.',
    documentation: '/docs',
  })
  get(@ReviewId() id: string): Promise<ReviewResponse> {
    return this.reviews.get(id);
  }

  @Patch(':reviewId')
  @Operation(CHANGE_REVIEW)
  change(
    @ReviewId() id: string,
    @Body() change: ReviewChange,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<ReviewResponse> {
    return this.reviews.change({ id, accountId }, change);
  }

  @Delete(':reviewId')
  @Operation(REMOVE_REVIEW)
  remove(@ReviewId() id: string, @CurrentCaller() { accountId }: Caller): Promise<void> {
    return this.reviews.remove({ id, accountId });
  }
}
