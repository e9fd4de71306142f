import { describe, expect, it } from '@jest/globals';
import {
  All,
  Body,
  type CallHandler,
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Post,
  Query,
  Redirect,
  StandardSchemaValidationPipe,
  UseInterceptors,
  UsePipes,
  Version,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, BaseExceptionFilter, RouterModule } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { ApiExcludeEndpoint, ApiProduces, ApiProperty } from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsString } from 'class-validator';
import { createApp, type Extension, loadEnv, Operation, Public, RequireScope } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { Folders } from '../support/folders.js';
import { operationsOf } from '../support/operations.js';

/** What the start of the service says of an extension, line by line, without the first line. */
async function refusalOf(
  extension: Extension,
  options: Partial<Parameters<typeof createApp>[0]> = {},
): Promise<string[]> {
  const folders = new Folders();
  const env = loadEnv({ DATABASE_URL: `sqlite:${folders.make()}/pets.sqlite`, LOG_LEVEL: 'silent' });
  const started = createApp({ env, extensions: [extension], ...options });
  const message = await started.then(
    () => '',
    ({ message: words }: Error) => words,
  );
  await folders.remove();
  const [head, ...faults] = message.split('\n  ');
  if (head !== 'The extensions are not valid:') throw new Error(`The service was not refused: ${message}`);
  return faults;
}

/** What the start of the service says of an extension with this controller. */
function refusalOfController(controller: new () => object): Promise<string[]> {
  @Module({ controllers: [controller] })
  class ReviewsModule {}
  return refusalOf({ module: ReviewsModule });
}

/** The options of an operation of the extension. */
const reviewsOperation = operationsOf('reviews:read', 'A review');

/** Has the same name and methods as the interceptor of `@nestjs/cache-manager`. */
class CacheInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    return next.handle();
  }

  trackBy(context: ExecutionContext): string | undefined {
    return context.switchToHttp().getRequest<{ url: string }>().url;
  }
}

const cachesByUrl = (name: string) =>
  `${name} caches responses by URL, so accounts would get those of others. Extend it, and return the URL and the account from trackBy().`;
const catchesAll = (name: string) =>
  `${name} catches all errors, so clients would not get the Error object. Name classes in @Catch().`;

const error = (code: string, status: number) => ({ code, status, meaning: 'An error.' });

@Catch()
class AnyFilter extends BaseExceptionFilter {}

@Module({})
class EmptyModule {}

class Review {
  @ApiProperty({ type: String })
  text!: string;
}

/** A schema of https://standardschema.dev. */
const SCHEMA = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof (value as Review).text === 'string' ? { value } : { issues: [{ message: 'text must be a string' }] },
  },
} as const;

describe('an extension keeps the service from starting', () => {
  it('if a route declares no access, or a scope that no key can have', async () => {
    @Controller('reviews')
    class Reviews {
      @Get()
      list(): void {}

      @Get('replaced')
      @RouteConfig({ url: '/replaced' })
      @Operation(reviewsOperation('listReplaced'))
      replaced(): void {}

      @Get('mine')
      @RequireScope('Read Reviews')
      @ApiExcludeEndpoint()
      mine(): void {}

      @Get('open')
      @Public()
      open(): void {}
    }
    const undeclared = 'it declares no access. Add @Operation() or @Public(), above any @RouteConfig().';
    expect(await refusalOfController(Reviews)).toEqual([
      `Reviews.list: ${undeclared}`,
      `Reviews.replaced: ${undeclared}`,
      'Reviews.mine: No key can have the scope "Read Reviews": scopes look like "pets:read".',
    ]);
    expect(await refusalOf({ module: EmptyModule, scopes: ['reviews'] })).toEqual([
      'No key can have the scope "reviews": scopes look like "pets:read".',
    ]);
  });

  it('if a path has a regular expression, or a DTO has validation groups', async () => {
    class NewReview {
      @IsString({ groups: ['draft'] })
      text!: string;
    }

    @Controller('reviews')
    class Reviews {
      @Get(String.raw`:id(\d+)`)
      @Public()
      get(): void {}

      @Post()
      @Public()
      create(@Body() review: NewReview): object {
        return review;
      }

      @Get('files/*path')
      @Public()
      file(): void {}
    }
    expect(await refusalOfController(Reviews)).toEqual([
      'Reviews.get: paths have no regular expressions. Write ":id", and check it with PathId or a pipe of the parameter.',
      'NewReview has validation groups, which are not supported. Write a class for each case.',
    ]);
  });

  it('if the document would not show the status or the version of a response', async () => {
    const ok = { success: { status: 200, description: 'A review.', type: Review } };
    const moved = { success: { status: 302, description: 'A review.' } };
    @Controller('reviews')
    class Reviews {
      @Post('coded')
      @HttpCode(202)
      @Operation(reviewsOperation('codeReview', ok))
      coded(): void {}

      @Get('redirected')
      @Redirect('/elsewhere')
      @Operation(reviewsOperation('redirectReview', ok))
      redirected(): void {}

      @Get('versioned')
      @Version('2')
      @Public()
      versioned(): void {}

      @Get('same')
      @Version(VERSION_NEUTRAL)
      @Redirect()
      @Operation(reviewsOperation('sameReview', moved))
      same(): void {}
    }
    @Controller({ path: 'old', version: '1' })
    class OldReviews {
      @Get()
      @Public()
      list(): void {}
    }
    @Module({ controllers: [Reviews, OldReviews] })
    class ReviewsModule {}
    const version = '@Version() has no effect, as /v1 is the version. Put another version into the path.';
    expect(await refusalOf({ module: ReviewsModule })).toEqual([
      'Reviews.coded: its status is 202, but 200 in success of @Operation(). Change one of them.',
      'Reviews.redirected: its status is 302, but 200 in success of @Operation(). Change one of them.',
      `Reviews.versioned: ${version}`,
      `OldReviews.list: ${version}`,
    ]);
  });

  it.each([
    ['setGlobalPrefix', ['api']],
    ['enableVersioning', []],
    ['enableCors', [{ origin: '*' }]],
  ] as const)('if configure calls %s(), which would move or open the API', async (method, args) => {
    const configure = (app: object) => Reflect.apply(Reflect.get(app, method) as Function, app, args);
    const [fault, ...others] = await refusalOf({ module: EmptyModule }, { configure });
    expect([fault, others]).toEqual([expect.stringContaining(`app.${method}() is refused. `), []]);
  });

  it('if nothing checks a parameter: its class has no rules, or its schema no pipe', async () => {
    class Parsed {
      text?: string;
    }
    class ByIdPipe implements PipeTransform {
      readonly transform = () => new Parsed();
    }
    class OwnSchemaPipe extends StandardSchemaValidationPipe {}
    @Controller('reviews')
    class Reviews {
      @Post('body')
      @Public()
      body(@Body() _body: Parsed): void {}

      @Get('query')
      @Public()
      query(@Query() _query: Parsed): void {}

      @Get('param/:id')
      @Public()
      param(@Param() _params: Parsed): void {}

      @Post('part')
      @Public()
      part(@Body('part') _part: Parsed): void {}

      @Post('schema')
      @Public()
      schema(@Body({ schema: SCHEMA }) _body: object): void {}

      @Get('schemas/:id')
      @Public()
      schemas(@Query({ schema: SCHEMA }) _query: object, @Param('id', { schema: SCHEMA }) _id: string): void {}

      @Post('checked/:id')
      @Public()
      @UsePipes(StandardSchemaValidationPipe)
      checked(@Body({ schema: SCHEMA }) _body: object, @Param('id', ByIdPipe) _parsed: Parsed): void {}

      @Post('checked')
      @Public()
      checkedByOwn(
        @Body({ schema: SCHEMA, pipes: [new OwnSchemaPipe()] }) _body: object,
        @Query() _all: object,
      ): void {}

      @Post('by-id')
      @Public()
      byId(@Body('id', ByIdPipe) _parsed: Parsed): void {}
    }
    expect(await refusalOfController(Reviews)).toEqual([
      ...['body', 'query', 'param', 'part'].map(
        (name) =>
          `Reviews.${name}: Parsed has no rules of class-validator, so all its fields would be refused. Add rules, or declare a type that is no class, and pass a pipe.`,
      ),
      ...['schema', 'schemas'].map(
        (name) => `Reviews.${name}: nothing checks the schema of a parameter. Bind StandardSchemaValidationPipe.`,
      ),
    ]);
  });

  it('unless the application binds the pipe that checks schemas', async () => {
    @Controller('reviews')
    class Reviews {
      @Post()
      @Public()
      create(@Body({ schema: SCHEMA }) body: object): object {
        return body;
      }
    }
    @Module({
      controllers: [Reviews],
      providers: [{ provide: APP_PIPE, useClass: StandardSchemaValidationPipe }],
    })
    class ReviewsModule {}
    const service = await startApp({ extensions: [{ module: ReviewsModule }] });
    const statuses = ['{"text":"good"}', '{"text":1}'].map(async (body) => {
      const response = await service.request('/v1/reviews', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return response.status;
    });
    expect(await Promise.all(statuses)).toEqual([201, 400]);
    await service.stop();
  });

  it('if a handler of messages is not public, or @ApiProduces() has a media type that the response has not', async () => {
    @Controller('reviews')
    class Reviews {
      @MessagePattern('review')
      review(_data: unknown): void {}

      @EventPattern('reviewed')
      @Public()
      reviewed(_data: unknown): void {}

      @Get()
      @Operation(reviewsOperation('listReviews'))
      @ApiProduces('text/csv')
      list(): string {
        return 'a,b';
      }

      @Get('open')
      @Public()
      @ApiProduces('text/csv')
      open(): void {}
    }

    @WebSocketGateway()
    class ReviewsGateway {
      @SubscribeMessage('review')
      review(_data: unknown): void {}
    }
    @Module({ controllers: [Reviews], providers: [ReviewsGateway] })
    class ReviewsModule {}
    expect(await refusalOf({ module: ReviewsModule })).toEqual([
      'Reviews.list: @ApiProduces() would not set the media type of the response. Add contentType to success.',
      'Reviews.review: messages have no API key. Add @Public(), and check the sender.',
      'ReviewsGateway.review: messages have no API key. Add @Public(), and check the sender.',
    ]);
  });

  it('if ThrottlerGuard would replace the limits, or an operation has all methods', async () => {
    @Controller('reviews')
    class Reviews {
      @All('all')
      @Operation(reviewsOperation('allReviews'))
      all(): void {}
    }
    @Module({
      imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 1 }])],
      controllers: [Reviews],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    })
    class ReviewsModule {}
    expect(await refusalOf({ module: ReviewsModule })).toEqual([
      'Reviews.all: @All() has no place in the document. Write a method for each HTTP method.',
      'ThrottlerGuard counts by address and replaces the rate-limit headers. Use @Throttle() without it.',
    ]);
  });

  it('if operations share an id or a route', async () => {
    @Controller(['reviews', 'pets'])
    class Reviews {
      @Get('old/:id')
      @Operation(reviewsOperation('listReviews'))
      list(): void {}

      @Get()
      @Public()
      all(): void {}

      @Get('/old/:reviewId/')
      @Public()
      get(): void {}
    }
    expect(await refusalOfController(Reviews)).toEqual([
      'The operation id listReviews is used more than once: Reviews.list, Reviews.list.',
      'The route GET /pets is used more than once: PetsController.listPets, Reviews.all.',
      'The route GET /reviews/old/: is used more than once: Reviews.list, Reviews.get.',
      'The route GET /pets/old/: is used more than once: Reviews.list, Reviews.get.',
    ]);
  });

  it('if an error code has two statuses', async () => {
    @Controller('reviews')
    class Reviews {
      @Post()
      @Operation(reviewsOperation('createReview', { errors: [error('review_taken', 409)] }))
      create(): void {}
    }
    @Module({ controllers: [Reviews] })
    class ReviewsModule {}
    const errorCodes = [error('pet_not_found', 410), error('review_taken', 422)];
    expect(await refusalOf({ module: ReviewsModule, errorCodes })).toEqual([
      'The error code pet_not_found has the status 404 already and cannot have 410. Use another code.',
      'The error code review_taken has the status 409 already and cannot have 422. Use another code.',
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
      list(): void {}
    }
    @Module({ controllers: [Reviews], providers: [{ provide: APP_INTERCEPTOR, useClass: CacheInterceptor }] })
    class ReviewsModule {}
    expect(await refusalOf({ module: ReviewsModule })).toEqual([
      cachesByUrl('OwnCache'),
      cachesByUrl('CacheInterceptor'),
    ]);
    const configure = {
      configure: (app: { useGlobalInterceptors: Function }) => app.useGlobalInterceptors(new OwnCache()),
    };
    expect(await refusalOf({ module: EmptyModule }, configure)).toEqual([cachesByUrl('OwnCache')]);
  });

  it('if a global filter catches all errors', async () => {
    @Module({ providers: [{ provide: APP_FILTER, useClass: AnyFilter }] })
    class CatchingModule {}
    expect(await refusalOf({ module: CatchingModule })).toEqual([catchesAll('AnyFilter')]);
    const configure = { configure: (app: { useGlobalFilters: Function }) => app.useGlobalFilters(new AnyFilter()) };
    expect(await refusalOf({ module: EmptyModule }, configure)).toEqual([catchesAll('AnyFilter')]);
  });
});

describe('routes with the same paths in their controllers', () => {
  it('are different with prefixes of RouterModule', async () => {
    @Controller('reviews')
    class Reviews {
      @Get()
      @Public()
      list(): string {
        return this.constructor.name;
      }
    }
    @Controller('reviews')
    class OldReviews extends Reviews {}
    @Module({ controllers: [Reviews] })
    class ReviewsModule {}
    @Module({ controllers: [OldReviews] })
    class OldModule {}
    const routes = RouterModule.register([{ path: 'old', module: OldModule }]);
    @Module({ imports: [ReviewsModule, OldModule, routes] })
    class AllModule {}
    const service = await startApp({ extensions: [{ module: AllModule }] });
    const texts = ['/v1/reviews', '/v1/old/reviews'].map(async (path) => (await service.request(path)).text());
    expect(await Promise.all(texts)).toEqual(['Reviews', 'OldReviews']);
    await service.stop();
  });
});
