import { describe, expect, it } from '@jest/globals';
import {
  All,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Module,
  Post,
  Put,
  UseInterceptors,
  Version,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Deprecated, Operation, Public, RequireScope } from '../../src/index.js';
import { CacheInterceptor } from '../support/cache-interceptor.js';
import { HEAD, refusalOf, refusalOfController, reviewsOperation } from '../support/extension-refusals.js';

describe('an extension whose routes cannot work keeps the service from starting', () => {
  it('if a route declares no access or no documentation', async () => {
    @Controller('reviews')
    class Reviews {
      @Get()
      list(): string[] {
        return [];
      }

      @Get('mine')
      @RequireScope('reviews:read')
      mine(): string[] {
        return [];
      }

      @Get('hidden')
      @RequireScope('reviews:read')
      @ApiExcludeEndpoint()
      hidden(): string[] {
        return [];
      }
    }
    expect(await refusalOfController(Reviews)).toEqual([
      HEAD,
      'Reviews.list: it declares no access: add @Operation() or @Public().',
      'Reviews.mine: it is not documented: add @Operation() or @ApiExcludeEndpoint().',
    ]);
  });

  it('if a gateway declares no access', async () => {
    @WebSocketGateway()
    class ReviewsGateway {
      @SubscribeMessage('watch')
      watch(): void {}
    }
    @Module({ providers: [ReviewsGateway] })
    class ReviewsModule {}
    expect(await refusalOf({ module: ReviewsModule })).toEqual([
      HEAD,
      'ReviewsGateway.watch: messages have no API key. Add @Public(), and authenticate the sender in the gateway.',
    ]);
  });

  it('if operations have a duplicate id, a scope that no key can have, or an invalid date', async () => {
    const dates = { successor: '/v1/pets', advice: 'Use pets.', documentation: '/docs' };

    @Controller('reviews')
    class Reviews {
      @Get()
      @Operation(reviewsOperation('listPets'))
      list(): string[] {
        return [];
      }

      @Get('old')
      @Operation(reviewsOperation('getOldReview', { scope: 'Read Reviews' }))
      @Deprecated({ since: '2026-02-30', sunset: 'soon', ...dates })
      old(): string[] {
        return [];
      }

      @Get('older')
      @Operation(reviewsOperation('getOlderReview'))
      @Deprecated({ since: '2027-01-01', sunset: '2026-01-01', ...dates })
      older(): string[] {
        return [];
      }
    }
    expect(await refusalOfController(Reviews)).toEqual([
      HEAD,
      'Reviews.old: no key can have the scope "Read Reviews": scopes look like "pets:read".',
      'Reviews.old: @Deprecated() has "2026-02-30", which is not a date like 2030-12-05.',
      'Reviews.old: @Deprecated() has "soon", which is not a date like 2030-12-05.',
      'Reviews.older: @Deprecated() has a sunset before the date from which it is deprecated.',
      'The operation id listPets is used more than once: PetsController.listPets, Reviews.list.',
    ]);
  });

  it('if decorators of Nest contradict the operation', async () => {
    @Controller('reviews')
    class Reviews {
      @Post()
      @HttpCode(202)
      @Operation(reviewsOperation('createReview', { success: { status: 201, description: 'Created.' } }))
      create(@Body() _body: object): object {
        return {};
      }

      @All('any')
      @Operation(reviewsOperation('anyReview'))
      any(): string[] {
        return [];
      }

      @Get()
      @Version('2')
      @Operation(reviewsOperation('listReviews'))
      list(): string[] {
        return [];
      }
    }
    expect(await refusalOfController(Reviews)).toEqual([
      HEAD,
      'Reviews.create: @HttpCode() must not differ from the status in @Operation(), which is 201.',
      'Reviews.any: an operation has one method: use @Get(), @Post() or the like instead of @All().',
      'Reviews.list: @Version() has no effect, because /v1 is the version: put another version into the path.',
    ]);
  });

  it('if a method takes a body that is never read', async () => {
    @Controller('reviews')
    class Reviews {
      @Delete()
      @Operation(reviewsOperation('deleteReviews'))
      delete(@Body() _body: object): void {}

      @Get()
      @Operation(reviewsOperation('listReviews'))
      list(@Body('text') _text: string): string[] {
        return [];
      }

      @All('any')
      @Public()
      any(@Body() _body: object): void {}

      @Put()
      @Operation(reviewsOperation('replaceReviews'))
      replace(@Body() _body: object): void {}
    }
    expect(await refusalOfController(Reviews)).toEqual([
      HEAD,
      'Reviews.delete: @Body() needs @Post(), @Put() or @Patch(): other methods have no body.',
      'Reviews.list: @Body() needs @Post(), @Put() or @Patch(): other methods have no body.',
    ]);
  });

  it('if a route configuration replaces that of the operation', async () => {
    @Controller('reviews')
    class Reviews {
      @Get()
      @RouteConfig({ url: '/reviews' })
      @Operation(reviewsOperation('listReviews'))
      list(): string[] {
        return [];
      }

      @Get('open')
      @RouteConfig({ url: '/open' })
      @Public()
      open(): string[] {
        return [];
      }

      @Get('mine')
      @Operation(reviewsOperation('listOwnReviews'))
      @RouteConfig({ url: '/mine' })
      mine(): string[] {
        return [];
      }
    }
    const advice = '@RouteConfig() replaces what @Operation(), @Public() and @RequireScope() set: put it below them.';
    expect(await refusalOfController(Reviews)).toEqual([HEAD, `Reviews.list: ${advice}`, `Reviews.open: ${advice}`]);
  });

  it('if an operation has several paths, or a path outside of /v1 needs a key or does not exist', async () => {
    @Controller('reviews')
    class Reviews {
      @Get(['mine', 'yours'])
      @Operation(reviewsOperation('listReviews'))
      list(): object[] {
        return [];
      }
    }
    @Module({ controllers: [Reviews] })
    class ReviewsModule {}
    const extension = {
      module: ReviewsModule,
      prefixExclusions: ['pets', '/reviews/yours', 'reviews/theirs', 'any/*path'],
    };
    const isPublic = 'its path is in prefixExclusions, so it must be @Public().';
    expect(await refusalOf(extension)).toEqual([
      HEAD,
      'Reviews.list: an operation has one path: write a method for each.',
      `PetsController.listPets: ${isPublic}`,
      `PetsController.createPet: ${isPublic}`,
      `Reviews.list: ${isPublic}`,
      'No route has the path reviews/theirs, which is in prefixExclusions.',
    ]);
  });

  it('if responses would be cached by URL, and so returned to other accounts', async () => {
    class OwnCache extends CacheInterceptor {}
    class AccountCache extends CacheInterceptor {
      override trackBy(): string {
        return 'an account';
      }
    }
    @Controller('reviews')
    class Reviews {
      @Get()
      @UseInterceptors(OwnCache, AccountCache)
      @Operation(reviewsOperation('listReviews'))
      list(): string[] {
        return [];
      }
    }
    expect(await refusalOfController(Reviews)).toEqual([
      HEAD,
      'OwnCache caches responses by URL, so accounts would get those of others. Extend it, and return the URL and the account from trackBy().',
    ]);
  });
});
