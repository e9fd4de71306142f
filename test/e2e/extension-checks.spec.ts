import { beforeAll, describe, expect, it } from '@jest/globals';
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
import { ApiExcludeEndpoint, ApiProduces } from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsString } from 'class-validator';
import { createApp, type Extension, loadEnv, Operation, Public, RequireScope } from '../../src/index.js';
import { Folders, service, shareApp } from '../support/folders.js';
import { operationsOf } from '../support/operations.js';

/*
 * One extension with every fault that keeps the service from starting, which then names them all, and beside each fault what
 * is similar and accepted.
 */

const operation = operationsOf('reviews:read', 'A review');
const error = (code: string, status: number) => ({ code, status, meaning: 'An error.' });

/** A schema of https://standardschema.dev. */
const SCHEMA = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof (value as { text: unknown }).text === 'string'
        ? { value }
        : { issues: [{ message: 'text must be a string' }] },
  },
} as const;

class OwnSchemaPipe extends StandardSchemaValidationPipe {}

class Grouped {
  @IsString({ groups: ['draft'] })
  text!: string;
}

class Unruled {
  text?: string;
}

class ByIdPipe implements PipeTransform {
  readonly transform = () => new Unruled();
}

@Controller('reviews')
class Reviews {
  @Get()
  undeclared(): void {}

  @Get('replaced')
  @RouteConfig({ url: '/replaced' })
  @Operation(operation('replaceReview'))
  replaced(): void {}

  @Get('mine')
  @RequireScope('Read Reviews')
  @ApiExcludeEndpoint()
  mine(): void {}

  @Get(String.raw`:id(\d+)`)
  @Public()
  expression(): void {}

  @Get('files/*path')
  @Public()
  file(): void {}

  @Post('coded')
  @HttpCode(202)
  @Operation(operation('codeReview'))
  coded(): void {}

  @Get('redirected')
  @Redirect('/elsewhere')
  @Operation(operation('redirectReview'))
  redirected(): void {}

  @Get('found')
  @Version(VERSION_NEUTRAL)
  @Redirect()
  @Operation(operation('findReview', { success: { status: 302, description: 'A review.' } }))
  found(): void {}

  @Get('versioned')
  @Version('2')
  @Public()
  versioned(): void {}

  @All('all')
  @Operation(operation('allReviews'))
  all(): void {}

  @Get('table')
  @Operation(operation('tabulateReviews'))
  @ApiProduces('text/csv')
  table(): void {}

  @Get('open-table')
  @Public()
  @ApiProduces('text/csv')
  openTable(): void {}

  @MessagePattern('review')
  message(_data: unknown): void {}

  @EventPattern('reviewed')
  @Public()
  openMessage(_data: unknown): void {}

  @Get('failing')
  @Operation(operation('failReview', { errors: [error('review_taken', 409)] }))
  failing(): void {}
}

@Controller({ path: 'old', version: '1' })
class OldReviews {
  @Get()
  @Public()
  list(): void {}
}

@Controller('parameters')
class Parameters {
  @Post('grouped')
  @Public()
  grouped(@Body() _body: Grouped): void {}

  @Post('body')
  @Public()
  body(@Body() _body: Unruled): void {}

  @Get('query')
  @Public()
  query(@Query() _query: Unruled): void {}

  @Get('param/:id')
  @Public()
  param(@Param() _params: Unruled): void {}

  @Post('part')
  @Public()
  part(@Body('part') _part: Unruled): void {}

  @Post('by-id/:id')
  @Public()
  byId(@Param('id', ByIdPipe) _param: Unruled, @Body('id', ByIdPipe) _part: Unruled, @Query() _all: object): void {}

  @Post('schema')
  @Public()
  schema(@Body({ schema: SCHEMA }) _body: object): void {}

  @Get('schemas/:id')
  @Public()
  schemas(@Query({ schema: SCHEMA }) _query: object, @Param('id', { schema: SCHEMA }) _id: string): void {}

  @Post('checked')
  @Public()
  @UsePipes(StandardSchemaValidationPipe)
  checked(@Body({ schema: SCHEMA }) _body: object): void {}

  @Post('checked-by-own')
  @Public()
  checkedByOwn(@Body({ schema: SCHEMA, pipes: [new OwnSchemaPipe()] }) _body: object): void {}
}

@Controller(['repeated', 'pets'])
class Repeated {
  @Get('old/:id')
  @Operation(operation('repeatReview'))
  list(): void {}

  @Get()
  @Public()
  all(): void {}

  @Get('/old/:reviewId/')
  @Public()
  get(): void {}
}

@WebSocketGateway()
class ReviewsGateway {
  @SubscribeMessage('review')
  review(_data: unknown): void {}
}

/** Has the same name and methods as the interceptor of `@nestjs/cache-manager`. */
class CacheInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    return next.handle();
  }

  trackBy(context: ExecutionContext): string | undefined {
    return context.switchToHttp().getRequest<{ url: string }>().url;
  }
}

class RouteCache extends CacheInterceptor {}
class ConfiguredCache extends CacheInterceptor {}
class AccountCache extends CacheInterceptor {
  override trackBy(): string {
    return 'an account';
  }
}

@Controller('cached')
@UseInterceptors(RouteCache, AccountCache)
class Cached {}

@Catch()
class ProvidedFilter extends BaseExceptionFilter {}

@Catch()
class ConfiguredFilter extends BaseExceptionFilter {}

@Catch(RangeError)
class NarrowFilter extends BaseExceptionFilter {}

@Module({
  imports: [ThrottlerModule.forRoot([{ ttl: 60_000, limit: 1 }])],
  controllers: [Reviews, OldReviews, Parameters, Repeated, Cached],
  providers: [
    ReviewsGateway,
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_INTERCEPTOR, useClass: CacheInterceptor },
    { provide: APP_FILTER, useClass: ProvidedFilter },
    { provide: APP_FILTER, useClass: NarrowFilter },
  ],
})
class FaultyModule {}

const FAULTY: Extension = {
  module: FaultyModule,
  scopes: ['reviews', 'reviews:write'],
  errorCodes: [error('pet_not_found', 410), error('review_taken', 422)],
};

/** What the service says of each fault, or how that begins. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  'a route declares no access': [
    'Reviews.undeclared: it declares no access.',
    'Reviews.replaced: it declares no access.',
  ],
  'no key can have a scope': [
    'Reviews.mine: No key can have the scope "Read Reviews"',
    'No key can have the scope "reviews"',
  ],
  'a path has a regular expression': ['Reviews.expression: paths have no regular expressions.'],
  'the document would show another status': [
    'Reviews.coded: its status is 202, but 200 in success',
    'Reviews.redirected: its status is 302, but 200 in success',
  ],
  'a route has another version': [
    'Reviews.versioned: @Version() has no effect',
    'OldReviews.list: @Version() has no effect',
  ],
  'an operation has all methods': ['Reviews.all: @All() has no place in the document.'],
  'the document would show another media type': ['Reviews.table: @ApiProduces() would not set the media type'],
  'a handler of messages is not public': [
    'Reviews.message: messages have no API key.',
    'ReviewsGateway.review: messages have no API key.',
  ],
  'a DTO has validation groups': ['Grouped has validation groups'],
  'a DTO has no rules': ['body', 'query', 'param', 'part'].map((name) => `Parameters.${name}: Unruled has no rules`),
  'nothing checks a schema': ['schema', 'schemas'].map((name) => `Parameters.${name}: nothing checks the schema`),
  'operations share an id or a route': [
    'The operation id repeatReview is used more than once: Repeated.list, Repeated.list.',
    'The route GET /pets is used more than once: PetsController.listPets, Repeated.all.',
    'The route GET /repeated/old/: is used more than once: Repeated.list, Repeated.get.',
    'The route GET /pets/old/: is used more than once: Repeated.list, Repeated.get.',
  ],
  'an error code has two statuses': [
    'The error code pet_not_found has the status 404 already and cannot have 410.',
    'The error code review_taken has the status 409 already and cannot have 422.',
  ],
  'responses would be cached by URL, and so returned to other accounts': [
    'RouteCache caches responses by URL',
    'CacheInterceptor caches responses by URL',
    'ConfiguredCache caches responses by URL',
  ],
  'ThrottlerGuard would replace the limits': ['ThrottlerGuard counts by address'],
  'a global filter catches all errors': ['ProvidedFilter catches all errors', 'ConfiguredFilter catches all errors'],
};

describe('an extension keeps the service from starting', () => {
  let named: string[];

  beforeAll(async () => {
    const folders = new Folders();
    const env = loadEnv({ DATABASE_URL: `sqlite:${folders.make()}/pets.sqlite`, LOG_LEVEL: 'silent' });
    const starting = createApp({
      env,
      extensions: [FAULTY],
      configure: (app) => {
        app.useGlobalInterceptors(new ConfiguredCache());
        app.useGlobalFilters(new ConfiguredFilter());
      },
    });
    const [outcome] = await Promise.allSettled([starting]);
    await folders.remove();
    const message = outcome.status === 'rejected' ? (outcome.reason as Error).message : 'The service started.';
    named = message.split('\n  ');
  });

  it.each(Object.entries(FAULTS))('if %s', (_, faults) => {
    expect(faults.filter((fault) => !named.some((one) => one.startsWith(fault)))).toEqual([]);
  });

  it('for no other reason, and names each once', () => {
    const [head, ...lines] = named;
    expect([head, lines.length]).toEqual(['The extensions are not valid:', Object.values(FAULTS).flat().length]);
  });
});

@Controller('reviews')
class NewReviews {
  @Get()
  @Public()
  list(): string {
    return this.constructor.name;
  }

  @Post()
  @Public()
  create(@Body({ schema: SCHEMA }) body: object): object {
    return body;
  }
}

@Controller('reviews')
class OldNewReviews extends NewReviews {}

@Module({ controllers: [NewReviews], providers: [{ provide: APP_PIPE, useClass: StandardSchemaValidationPipe }] })
class NewModule {}

@Module({ controllers: [OldNewReviews] })
class OldModule {}

@Module({ imports: [NewModule, OldModule, RouterModule.register([{ path: 'old', module: OldModule }])] })
class ValidModule {}

describe('an extension is accepted', () => {
  const refusals: string[] = [];

  shareApp({
    extensions: [{ module: ValidModule }],
    configure: (app) => {
      for (const call of [() => app.setGlobalPrefix('api'), () => app.enableVersioning(), () => app.enableCors()]) {
        try {
          call();
        } catch (refusal) {
          refusals.push((refusal as Error).message);
        }
      }
    },
  });

  it('if the application binds the pipe that checks schemas', async () => {
    const statuses = ['{"text":"good"}', '{"text":1}'].map(
      async (body) => (await service.post('/v1/reviews', '', body)).status,
    );
    expect(await Promise.all(statuses)).toEqual([201, 400]);
  });

  it('if controllers with the same paths have different prefixes of RouterModule', async () => {
    const texts = ['/v1/reviews', '/v1/old/reviews'].map(async (path) => (await service.request(path)).text());
    expect(await Promise.all(texts)).toEqual(['NewReviews', 'OldNewReviews']);
  });

  it('but not what would move or open the API in configure()', () => {
    expect(refusals).toEqual(
      ['setGlobalPrefix', 'enableVersioning', 'enableCors'].map((method) =>
        expect.stringContaining(`app.${method}() is refused. `),
      ),
    );
  });
});
