import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { startApp } from '../support/app.js';
import { HEAD, refusalOf } from '../support/extension-refusals.js';
import { Folders } from '../support/folders.js';

const folders = new Folders();
let folder: string;

beforeEach(() => {
  folder = folders.make();
});
afterEach(() => folders.remove());

describe('an extension whose migrations cannot run keeps the service from starting', () => {
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
    expect(await refusalOf({ module: ReviewsModule, migrations }, {}, folder)).toEqual(['file is not a database']);
    expect(await refusalOf({ module: ReviewsModule, migrations, scopes: ['reviews'] }, {}, folder)).toEqual([
      HEAD,
      'No key can have the scope "reviews": scopes look like "pets:read".',
    ]);
  });
});
