import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CacheInterceptor } from '../support/cache-interceptor.js';
import {
  All,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  Put,
  UseInterceptors,
  Version,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsEmail, IsOptional } from 'class-validator';
import type { MigrationInterface } from 'typeorm';
import {
  ConfigError,
  createApp,
  Deprecated,
  type Extension,
  type HealthIndicator,
  IntegerSetting,
  loadEnv,
  Operation,
  type OperationOptions,
  Public,
  RequireScope,
  Setting,
} from '../../src/index.js';
import { startApp } from '../support/app.js';
import { Folders } from '../support/folders.js';

const folders = new Folders();
let folder: string;

beforeEach(() => {
  folder = folders.make();
});
afterEach(() => folders.remove());

const operation = (id: string, more: Partial<OperationOptions> = {}): OperationOptions => ({
  id,
  summary: 'A review',
  scope: 'reviews:read',
  stability: 'beta',
  success: { status: 200, description: 'A review.' },
  errors: [],
  ...more,
});

const statusOf = (code: string, status: number) => ({ code, status, meaning: 'An error.' });

/** What the start of the service says of an extension. */
async function refusalOf(
  extension: Extension,
  options: Partial<Parameters<typeof createApp>[0]> = {},
): Promise<string[]> {
  const env = loadEnv({ DATABASE_URL: `sqlite:${folder}/pets.sqlite`, LOG_LEVEL: 'silent' });
  const started = createApp({ env, extensions: [extension], ...options });
  const message: unknown = await started.then(
    () => undefined,
    // Not always an Error of this realm: see `driverCode` in src/database/unavailable.ts.
    ({ message: words }: Error) => words,
  );
  if (typeof message !== 'string') throw new Error('The service has started.');
  return message.split('\n  ');
}

const refusalOfController = (controller: new () => object) => {
  @Module({ controllers: [controller] })
  class ReviewsModule {}
  return refusalOf({ module: ReviewsModule });
};

const HEAD = 'The extensions are not valid:';

describe('an extension that cannot work keeps the service from starting', () => {
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
      @Operation(operation('listPets'))
      list(): string[] {
        return [];
      }

      @Get('old')
      @Operation(operation('getOldReview', { scope: 'Read Reviews' }))
      @Deprecated({ since: '2026-02-30', sunset: 'soon', ...dates })
      old(): string[] {
        return [];
      }

      @Get('older')
      @Operation(operation('getOlderReview'))
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
      @Operation(operation('createReview', { success: { status: 201, description: 'Created.' } }))
      create(@Body() _body: object): object {
        return {};
      }

      @All('any')
      @Operation(operation('anyReview'))
      any(): string[] {
        return [];
      }

      @Get()
      @Version('2')
      @Operation(operation('listReviews'))
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
      @Operation(operation('deleteReviews'))
      delete(@Body() _body: object): void {}

      @Get()
      @Operation(operation('listReviews'))
      list(@Body('text') _text: string): string[] {
        return [];
      }

      @All('any')
      @Public()
      any(@Body() _body: object): void {}

      @Put()
      @Operation(operation('replaceReviews'))
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
      @Operation(operation('listReviews'))
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
      @Operation(operation('listOwnReviews'))
      @RouteConfig({ url: '/mine' })
      mine(): string[] {
        return [];
      }
    }
    const advice = '@RouteConfig() replaces what @Operation(), @Public() and @RequireScope() set: put it below them.';
    expect(await refusalOfController(Reviews)).toEqual([HEAD, `Reviews.list: ${advice}`, `Reviews.open: ${advice}`]);
  });

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
      @Operation(operation('listReviews', { errors: [statusOf('review_done', 200), statusOf('review_taken', 409)] }))
      list(): string[] {
        return [];
      }

      @Get('mine')
      @Operation(operation('listOwnReviews', { errors: [statusOf('review_done', 200), statusOf('review_lost', 599)] }))
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

  it('if migrations are out of order or have no timestamp', async () => {
    class Migration implements MigrationInterface {
      async up(): Promise<void> {}
      async down(): Promise<void> {}
    }
    class CreateReviews1795305600000 extends Migration {}
    class AddRating1795305500000 extends Migration {}
    class AddText extends Migration {}

    @Module({})
    class ReviewsModule {}
    const migrations = [CreateReviews1795305600000, AddRating1795305500000, AddText];
    expect(await refusalOf({ module: ReviewsModule, migrations })).toEqual([
      HEAD,
      'The migration AddRating1795305500000 would run before CreateReviews1795305600000: give it a later time.',
      'The name of the migration AddText must end in a timestamp in milliseconds (13 digits).',
    ]);
  });

  it('if a migration has not run, but a later one of the extension has', async () => {
    class Migration implements MigrationInterface {
      async up(): Promise<void> {}
      async down(): Promise<void> {}
    }
    class CreateReviews1795219100000 extends Migration {}
    class AddRating1795219200001 extends Migration {}
    class AddText1795305600000 extends Migration {}
    class CreateOthers1795219100001 extends Migration {}
    class AddOthers1795219100002 extends Migration {}

    @Module({})
    class ReviewsModule {}
    @Module({})
    class OthersModule {}
    const reviews = [CreateReviews1795219100000, AddText1795305600000];
    const others = { module: OthersModule, migrations: [CreateOthers1795219100001, AddOthers1795219100002] };
    const service = await startApp({ extensions: [{ module: ReviewsModule, migrations: reviews }] });
    await service.stop({ keepData: true });
    const migrations = [CreateReviews1795219100000, AddRating1795219200001, AddText1795305600000];
    const late = { module: ReviewsModule, migrations, scopes: ['reviews'] };
    await expect(startApp({ folder: service.folder, extensions: [late, others] })).rejects.toThrow(
      `${HEAD}
  No key can have the scope "reviews": scopes look like "pets:read".
  The migration AddRating1795219200001 has not run, but the later AddText1795305600000 has. Give it a later time.`,
    );
    // An extension that is new may be older than what has run of others.
    const extensions = [{ module: ReviewsModule, migrations: reviews }, others];
    await (await startApp({ folder: service.folder, extensions })).stop();
  });

  it('with its own faults, even if the database cannot be read', async () => {
    class Migration implements MigrationInterface {
      async up(): Promise<void> {}
      async down(): Promise<void> {}
    }
    class CreateReviews1795219100000 extends Migration {}
    class AddText1795305600000 extends Migration {}
    @Module({})
    class ReviewsModule {}
    const migrations = [CreateReviews1795219100000, AddText1795305600000];
    writeFileSync(`${folder}/pets.sqlite`, 'This is no database, as a reader of its first page notices.'.repeat(100));
    expect(await refusalOf({ module: ReviewsModule, migrations })).toEqual(['file is not a database']);
    expect(await refusalOf({ module: ReviewsModule, migrations, scopes: ['reviews'] })).toEqual([
      HEAD,
      'No key can have the scope "reviews": scopes look like "pets:read".',
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

  it('if settings that a provider needs were not read', async () => {
    class ReviewsSettings {
      @IntegerSetting(1, 9)
      REVIEWS_PER_PET = 3;
    }
    @Injectable()
    class Reviews {
      constructor(@Inject(ReviewsSettings) readonly settings: ReviewsSettings) {}
    }
    @Module({ providers: [Reviews] })
    class ReviewsModule {}
    expect(await refusalOf({ module: ReviewsModule, settings: ReviewsSettings })).toEqual([
      HEAD,
      'ReviewsSettings was not read. Pass the extensions to loadEnv() too.',
    ]);
  });

  it('if two classes declare the same setting', async () => {
    class SharedSettings {
      @IntegerSetting(1, 9)
      SHARED_LIMIT = 3;
    }
    class ReviewsSettings {
      @IntegerSetting(1, 9)
      REVIEWS_PER_PET = 3;

      @Setting()
      @IsOptional()
      REVIEWS_SENDER?: string;

      @IntegerSetting(1, 65_535)
      PORT = 8080;

      readonly note = 'not a setting';
    }
    class VisitsSettings {
      @IntegerSetting(1, 100)
      REVIEWS_PER_PET = 50;

      @Setting()
      @IsOptional()
      REVIEWS_SENDER?: string;

      readonly note = 'not a setting';
    }
    @Module({})
    class ReviewsModule {}
    @Module({})
    class VisitsModule {}
    @Module({})
    class OthersModule {}
    const extensions = [
      { module: ReviewsModule, settings: ReviewsSettings },
      { module: VisitsModule, settings: VisitsSettings },
      { module: OthersModule, settings: SharedSettings },
      { module: OthersModule, settings: SharedSettings },
    ];
    const env = loadEnv({ DATABASE_URL: `sqlite:${folder}/pets.sqlite`, LOG_LEVEL: 'silent' }, extensions);
    const refusal = createApp({ env, extensions: [...extensions, { module: OthersModule, scopes: ['reviews'] }] });
    await expect(refusal).rejects.toThrow(
      `${HEAD}
  No key can have the scope "reviews": scopes look like "pets:read".
  The setting PORT is used more than once: Env, ReviewsSettings.
  The setting REVIEWS_PER_PET is used more than once: ReviewsSettings, VisitsSettings.
  The setting REVIEWS_SENDER is used more than once: ReviewsSettings, VisitsSettings.`,
    );
    await (await startApp({ extensions: extensions.slice(1) })).stop();
  });

  it('if an operation has several paths, or a path outside of /v1 needs a key or does not exist', async () => {
    @Controller('reviews')
    class Reviews {
      @Get(['mine', 'yours'])
      @Operation(operation('listReviews'))
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
      @Operation(operation('listReviews'))
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

describe('the settings of an extension', () => {
  class ReviewsSettings {
    @IntegerSetting(1, 9)
    REVIEWS_PER_PET = 3;

    @Setting()
    @IsEmail()
    REVIEWS_SENDER!: string;
  }
  const load = () =>
    loadEnv({ PORT: 'x', REVIEWS_PER_PET: '10', REVIEWS_PER_PETS: '1' }, [{ settings: ReviewsSettings }]);

  it('are validated together with those of the service', () => {
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(
      'Invalid configuration:\n' +
        '  PORT must be an integer from 0 to 65535\n' +
        '  REVIEWS_PER_PET must be an integer from 1 to 9\n' +
        '  REVIEWS_SENDER must be an email\n' +
        '  REVIEWS_PER_PETS is not a setting; did you mean REVIEWS_PER_PET?',
    );
  });
});
