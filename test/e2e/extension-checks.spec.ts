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
  Injectable,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Post,
  Put,
  Query,
  Redirect,
  SetMetadata,
  StandardSchemaValidationPipe,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
  Version,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, BaseExceptionFilter } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { ApiExcludeEndpoint, ApiProduces } from '@nestjs/swagger';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsString } from 'class-validator';
import { createApp, type Extension, loadEnv, Operation, Public, RequireScope } from '../../src/index.js';
import { TypeOrmModule } from '@nestjs/typeorm';
import { startApp } from '../support/app.js';
import { Folders } from '../support/folders.js';
import { addHandlers, taking } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

/*
 * One extension with every fault that keeps the service from starting, which then names them all, and beside each fault what
 * is similar and accepted.
 */

const operation = operationsOf('reviews:read', 'A review');
const FOUND = { success: { status: 302, description: 'A review.' } };
const error = (code: string, status: number) => ({ code, status, meaning: 'An error.' });

/** A schema of https://standardschema.dev. */
const SCHEMA = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

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
  @EventPattern('reviewed')
  @Public()
  openMessage(_data: unknown): void {}
}

addHandlers(Reviews, {
  undeclared: [Get()],
  replaced: [Get('replaced'), RouteConfig({ url: '/replaced' }), Operation(operation('replaceReview'))],
  mine: [Get('mine'), RequireScope('Read Reviews'), ApiExcludeEndpoint()],
  expression: [Get(String.raw`:id(\d+)`), Public()],
  file: [Get('files/*path'), Public()],
  coded: [Post('coded'), HttpCode(202), Operation(operation('codeReview'))],
  redirected: [Get('redirected'), Redirect('/elsewhere'), Operation(operation('redirectReview'))],
  found: [Get('found'), Version(VERSION_NEUTRAL), Redirect(), Operation(operation('findReview', FOUND))],
  versioned: [Get('versioned'), Version('2'), Public()],
  all: [All('all'), Operation(operation('allReviews'))],
  table: [Get('table'), Operation(operation('tabulateReviews')), ApiProduces('text/csv')],
  openTable: [Get('open-table'), Public(), ApiProduces('text/csv')],
  message: [MessagePattern('review')],
  failing: [Get('failing'), Operation(operation('failReview', { errors: [error('review_taken', 409)] }))],
});

@Controller({ path: 'old', version: '1' })
class OldReviews {}

addHandlers(OldReviews, { list: [Get(), Public()] });

@Controller('parameters')
class Parameters {}

const WITH_SCHEMA = { schema: SCHEMA };

addHandlers(Parameters, {
  grouped: [Post('grouped'), Public(), taking([Body(), Grouped])],
  body: [Post('body'), Public(), taking([Body(), Unruled])],
  query: [Get('query'), Public(), taking([Query(), Unruled])],
  param: [Get('param/:id'), Public(), taking([Param(), Unruled])],
  part: [Post('part'), Public(), taking([Body('part'), Unruled])],
  byId: [
    Post('by-id/:id'),
    Public(),
    taking([Param('id', ByIdPipe), Unruled], [Body('id', ByIdPipe), Unruled], [Query(), Object]),
  ],
  schema: [Post('schema'), Public(), taking([Body(WITH_SCHEMA), Object])],
  schemas: [Get('schemas/:id'), Public(), taking([Query(WITH_SCHEMA), Object], [Param('id', WITH_SCHEMA), String])],
  checked: [Post('checked'), Public(), UsePipes(StandardSchemaValidationPipe), taking([Body(WITH_SCHEMA), Object])],
  interface: [Post('interface'), Public(), UsePipes(ValidationPipe), taking([Body(), Object])],
  list: [Post('list'), Public(), taking([Body(), Array])],
  parsed: [Post('parsed'), Public(), taking([Body(ByIdPipe), Object])],
  bytes: [Post('bytes'), Public(), taking([Body(), Buffer])],
  checkedByOwn: [
    Post('checked-by-own'),
    Public(),
    taking([Body({ schema: SCHEMA, pipes: [new OwnSchemaPipe()] }), Object]),
  ],
});

@Controller(['repeated', 'pets'])
class Repeated {}

addHandlers(Repeated, {
  list: [Get('old/:id'), Operation(operation('repeatReview'))],
  all: [Get(), Public()],
  get: [Get('/old/:reviewId/'), Public()],
  change: [Put(':id'), Public()],
});

@WebSocketGateway()
class ReviewsGateway {}

addHandlers(ReviewsGateway, { review: [SubscribeMessage('review')] });

/** Has the metadata that `@Query()` of `@nestjs/graphql` sets. */
@Injectable()
class ReviewsResolver {}

addHandlers(ReviewsResolver, { review: [SetMetadata('graphql:resolver_type', 'Query')] });

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
    ReviewsResolver,
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_INTERCEPTOR, useClass: CacheInterceptor },
    { provide: APP_FILTER, useClass: ProvidedFilter },
    { provide: APP_FILTER, useClass: NarrowFilter },
  ],
})
class FaultyModule {}

class UnprovidedHealth {
  readonly check = () => ({});
}

const FAULTY: Extension = {
  module: FaultyModule,
  healthIndicators: [UnprovidedHealth],
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
  'a resolver has neither scopes nor limits': [
    'ReviewsResolver.review: fields of GraphQL have neither scopes nor limits.',
  ],
  'a DTO has validation groups': ['Grouped has validation groups'],
  'a DTO has no rules': ['body', 'query', 'param', 'part'].map((name) => `Parameters.${name}: Unruled has no rules`),
  'nothing checks a body': ['interface', 'list'].map((name) => `Parameters.${name}: nothing checks its @Body()`),
  'nothing checks a schema': ['schema', 'schemas'].map((name) => `Parameters.${name}: nothing checks the schema`),
  'a health indicator is not a provider': ['UnprovidedHealth is in healthIndicators, but is not a provider.'],
  'operations share an id or a route': [
    'The operation id repeatReview is used more than once: Repeated.list, Repeated.list.',
    'The route GET /pets is used more than once: PetsController.listPets, Repeated.all.',
    'The route GET /repeated/old/: is used more than once: Repeated.list, Repeated.get.',
    'The route GET /pets/old/: is used more than once: Repeated.list, Repeated.get.',
  ],
  'methods of a path name its parameters differently': [
    'Methods of one path name its parameters differently: /pets/:petId of PetsController.removePet, /pets/:id of Repeated.change.',
    'Methods of one path name its parameters differently: /repeated/old/:id of Repeated.list, /repeated/old/:reviewId of',
    'Methods of one path name its parameters differently: /pets/old/:id of Repeated.list, /pets/old/:reviewId of',
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
      extensions: [{ ...FAULTY, configure: (app) => void app.useGlobalFilters(new ConfiguredFilter()) }],
      configure: (app) => void app.useGlobalInterceptors(new ConfiguredCache()),
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

  it('if a second database has no name, so that it would replace that of the service', async () => {
    const second = TypeOrmModule.forRoot({ type: 'better-sqlite3', database: ':memory:' });
    await expect(startApp({ extensions: [{ module: second }] })).rejects.toThrow(
      'TypeOrmModule.forRoot() would replace the database of the service.',
    );
  });
});
