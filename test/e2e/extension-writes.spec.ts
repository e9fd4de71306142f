// @postgres: writes of extensions run at once, and fail with errors of the driver.
import { describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import {
  type Animal,
  type ColumnTypes,
  Database,
  Idempotent,
  int64Json,
  type Page,
  PetsModule,
  PetsService,
  readPage,
  RequireScope,
} from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf, TestMigration } from '../support/extensions.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { until, within } from '../support/until.js';

/*
 * Shelters, which have parcels. A row of a parcel whose shelter is missing is refused at the commit.
 */

@Entity({ name: 'parcels' })
class Parcel {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'float' })
  weight!: number;
}

class Shelters1795305700000 extends TestMigration {
  readonly statements = ({ id, int64 }: ColumnTypes) => [
    `CREATE TABLE "shelters" ("id" ${id}, "name" TEXT NOT NULL)`,
    `CREATE TABLE "parcels" (
      "id" ${id}, "weight" DOUBLE PRECISION NOT NULL,
      "shelter_id" ${int64} REFERENCES "shelters" ("id") DEFERRABLE INITIALLY DEFERRED
    )`,
  ];
}

const lost = { inserted: 0 };
const slow = { begun: 0, end: Promise.withResolvers<void>() };

@ApiExcludeController()
@Controller('parcels')
class ParcelsController {
  constructor(private readonly database: Database) {}

  /** Fails at the commit. */
  @Post('lost')
  @RequireScope('pets:write')
  addLost(): Promise<unknown> {
    return this.database.write(async (manager) => {
      await manager.query(`INSERT INTO "parcels" ("weight", "shelter_id") VALUES (404, 404404)`);
      lost.inserted += 1;
      return {};
    });
  }

  @Post('lost/once')
  @RequireScope('pets:write')
  @Idempotent()
  addLostOnce(@Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    reply.header('x-lost', 'yes');
    return this.addLost();
  }

  @Post()
  @RequireScope('pets:write')
  add(): Promise<unknown> {
    return this.database.write((manager) => manager.insert(Parcel, { weight: 1 }));
  }

  /** Writes, and then calls another service. */
  @Post('slow')
  @RequireScope('pets:write')
  async addSlowly(): Promise<object> {
    await this.database.write((manager) => manager.insert(Parcel, { weight: 2 }));
    slow.begun += 1;
    await slow.end.promise;
    return { begun: slow.begun };
  }
}

/** Lists shelters in place of pets. */
@Injectable()
class SheltersAsPets extends PetsService {
  @Inject(Database)
  private readonly shelters!: Database;

  override async list(): Promise<Page<Animal>> {
    const rows = await this.shelters.query<{ id: number; name: string }[]>('SELECT "id", "name" FROM "shelters"');
    return { items: rows.map((row) => ({ ...row, categoryId: int64Json('1') })), nextAfter: undefined };
  }
}

const SHELTERS = extensionOf(
  { imports: [PetsModule], controllers: [ParcelsController] },
  { entities: [Parcel], migrations: [Shelters1795305700000] },
);

shareApp({ extensions: [SHELTERS] }, AMPLE);

const post = (path: string, body = '{}', headers: Record<string, string> = {}) =>
  service.request(`/v1/${path}`, { key, method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
const createPet = (name: string) => post('pets', JSON.stringify({ name, categoryId: 1 }));
const namesAt = async (app: TestApp, as: string) =>
  ((await (await app.request('/v1/pets?limit=100', { key: as })).json()) as { name: string }[]).map(({ name }) => name);

describe('a slow request with an Idempotency-Key for an operation without @Idempotent()', () => {
  it('holds no transaction that others would wait for, and is processed each time', async () => {
    const requests = [1, 2].map(() => post('parcels/slow', '{}', { 'Idempotency-Key': 'the key' }));
    await until(() => slow.begun === 2);
    expect(await service.database.query('SELECT 1 AS "one" FROM "parcels" WHERE "weight" = 2')).toHaveLength(2);
    expect([(await createPet('meanwhile')).status, (await post('parcels')).status]).toEqual([201, 201]);
    slow.end.resolve();
    for (const request of requests) {
      const response = await request;
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
    }
  });
});

describe('a write that the database refuses at the commit', () => {
  it('fails alone, and the writes of others at the same time are kept', async () => {
    const pets = (await namesAt(service, key)).length;
    await queryDatabase(service.folder, 'DELETE FROM "parcels"');
    const paths = Array.from({ length: 8 }, () => ['parcels/lost', 'parcels', 'pets']).flat();
    const responses = await Promise.all(paths.map((path) => (path === 'pets' ? createPet('beside') : post(path))));
    expect(responses.map(({ status }) => status)).toEqual(paths.map((path) => (path === 'parcels/lost' ? 500 : 201)));
    expect(lost.inserted).toBe(8);
    for (const response of responses.filter(({ status }) => status === 500))
      expect(await errorOf(response)).toMatchObject({ code: 'internal_error' });
    const weights = await queryDatabase<{ weight: number }>(service.folder, 'SELECT "weight" FROM "parcels"');
    expect(weights.map(({ weight }) => weight)).toEqual(Array.from({ length: 8 }, () => 1));
    expect(await namesAt(service, key)).toHaveLength(pets + 8);
  });

  it('with an Idempotency-Key has no stored response, and can be sent again', async () => {
    const before = lost.inserted;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const response = await post('parcels/lost/once', '{}', { 'Idempotency-Key': 'lost' });
      for (const name of ['idempotent-replayed', 'x-lost']) expect(response.headers.get(name)).toBeNull();
      expect(await errorOf(response)).toMatchObject({ status: 500, code: 'internal_error' });
      expect(lost.inserted).toBe(before + attempt);
    }
  });
});

describe('a PetsService that reads another table', () => {
  it('is in use if it is overridden, and its responses are new within a second, or at once if invalidated', async () => {
    const overridden = await startApp({
      extensions: [SHELTERS],
      override: (builder) => builder.overrideProvider(PetsService).useClass(SheltersAsPets),
    });
    const as = await overridden.key(AMPLE);
    expect(await namesAt(overridden, as)).toEqual([]);
    const add = (name: string) =>
      queryDatabase(overridden.folder, `INSERT INTO "shelters" ("name") VALUES ('${name}')`);
    await add('Arche');
    const result = await within(
      1_000,
      () => namesAt(overridden, as),
      (names) => names.length === 1,
    );
    expect(result).toEqual(['Arche']);
    await add('Hof');
    await overridden.app.get(PetsService).invalidateCaches();
    expect(await namesAt(overridden, as)).toEqual(['Arche', 'Hof']);
    await overridden.stop();
  });

  it('is only for its own module if that provides it', async () => {
    const own = extensionOf({ imports: [PetsModule], providers: [{ provide: PetsService, useValue: {} }] });
    const other = await startApp({ extensions: [own] });
    const as = await other.key(AMPLE);
    await other.post('/v1/pets', as, '{"name":"Bella","categoryId":1}');
    expect(await namesAt(other, as)).toEqual(['Bella']);
    await other.stop();
  });
});

describe('a page that is sorted by a number with a fraction', () => {
  it('is refused, because infinity and the like have no place in a Link', async () => {
    const parcels = service.app.get(DataSource).getRepository(Parcel).createQueryBuilder('parcel');
    await expect(readPage(parcels, { weight: 'ASC' }, { limit: 1 })).rejects.toThrow(
      'weight of Parcel must be an integer, a text or a date, and not nullable.',
    );
  });
});
