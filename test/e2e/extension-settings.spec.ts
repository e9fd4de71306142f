import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { IsEmail, IsOptional } from 'class-validator';
import { ConfigError, createApp, IntegerSetting, loadEnv, Setting } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { HEAD, refusalOf } from '../support/extension-refusals.js';
import { Folders } from '../support/folders.js';

const folders = new Folders();
let folder: string;

beforeEach(() => {
  folder = folders.make();
});
afterEach(() => folders.remove());

describe('an extension whose settings cannot be read keeps the service from starting', () => {
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
