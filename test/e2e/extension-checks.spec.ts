import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { type HealthIndicator, IntegerSetting, Operation } from '../../src/index.js';
import { HEAD, refusalOf, reviewsOperation } from '../support/extension-refusals.js';

const statusOf = (code: string, status: number) => ({ code, status, meaning: 'An error.' });

describe('an extension that cannot work keeps the service from starting', () => {
  it('if an error code has two statuses', async () => {
    @Module({})
    class ReviewsModule {}
    const errorCodes = [
      { code: 'pet_not_found', status: 410, meaning: 'The pet is gone.' },
      { code: 'review_taken', status: 409, meaning: 'There is one.' },
      { code: 'review_taken', status: 422, meaning: 'There is one.' },
    ];
    expect(await refusalOf({ module: ReviewsModule, errorCodes })).toEqual([
      HEAD,
      'The error code pet_not_found has the status 404 already and cannot have 410. Use another code.',
      'The error code review_taken has the status 409 already and cannot have 422. Use another code.',
    ]);
  });

  it('if the status of an error is impossible', async () => {
    @Controller('reviews')
    class Reviews {
      @Get()
      @Operation(
        reviewsOperation('listReviews', { errors: [statusOf('review_done', 200), statusOf('review_taken', 409)] }),
      )
      list(): string[] {
        return [];
      }

      @Get('mine')
      @Operation(
        reviewsOperation('listOwnReviews', { errors: [statusOf('review_done', 200), statusOf('review_lost', 599)] }),
      )
      mine(): string[] {
        return [];
      }
    }
    @Module({ controllers: [Reviews] })
    class ReviewsModule {}
    const errorCodes = [
      statusOf('too_small', 42),
      statusOf('redirected', 399),
      statusOf('least', 400),
      statusOf('halved', 404.5),
      statusOf('too_large', 600),
      statusOf('unknown', NaN),
      statusOf('pet_not_found', 204),
    ];
    const range = 'use an integer from 400 to 599.';
    expect(await refusalOf({ module: ReviewsModule, errorCodes })).toEqual([
      HEAD,
      `The error code review_done cannot have the status 200: ${range}`,
      `The error code too_small cannot have the status 42: ${range}`,
      `The error code redirected cannot have the status 399: ${range}`,
      `The error code halved cannot have the status 404.5: ${range}`,
      `The error code too_large cannot have the status 600: ${range}`,
      `The error code unknown cannot have the status NaN: ${range}`,
      `The error code pet_not_found cannot have the status 204: ${range}`,
    ]);
  });

  it('if a health indicator, setting or provider to replace does not exist', async () => {
    class ReviewsHealth implements HealthIndicator {
      check() {
        return {};
      }
    }
    class ReviewsSettings {
      @IntegerSetting(1, 9)
      REVIEWS_PER_PET = 3;
    }
    @Injectable()
    class Reviews {}
    @Module({ providers: [Reviews] })
    class ReviewsModule {}
    const extension = {
      module: ReviewsModule,
      healthIndicators: [ReviewsHealth],
      settings: ReviewsSettings,
      scopes: ['reviews'],
    };
    expect(await refusalOf(extension, { overrides: [{ provide: Reviews, useValue: {} }] })).toEqual([
      HEAD,
      'No key can have the scope "reviews": scopes look like "pets:read".',
      'ReviewsHealth is not a provider. Add it to the providers of its module.',
      'ReviewsSettings was not read. Pass the extensions to loadEnv() too.',
      'Reviews cannot be replaced; Clock, CounterStore, KeyVerifier and PetsService can.',
    ]);
  });
});
