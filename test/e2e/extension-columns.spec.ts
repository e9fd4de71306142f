// @postgres: the types of the columns of entities and migrations differ.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Column,
  CreateDateColumn,
  type DataSource,
  DeleteDateColumn,
  Entity,
  Index,
  PrimaryGeneratedColumn,
  type Repository,
  UpdateDateColumn,
} from 'typeorm';
import {
  type ColumnTypes,
  createDataSource,
  Database,
  type Extension,
  loadEnv,
  readPage,
  TIME_COLUMN,
} from '../../src/index.js';
import { databaseParts } from '../../src/database-parts.js';
import { moveToPostgres } from '../../src/database/move-to-postgres.js';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { startApp } from '../support/app.js';
import { makeFolder, onPostgres, onSharedServer } from '../support/databases.js';
import { extensionOf, TestMigration } from '../support/extensions.js';
import { service, shareApp } from '../support/folders.js';

/** Has a column of each kind that building-a-feature.md shows, but one. */
abstract class Untitled {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @CreateDateColumn({ name: 'created_at' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at' })
  updatedAt!: Date;

  @DeleteDateColumn({ name: 'deleted_at' })
  deletedAt!: Date | null;

  @Column({ type: 'uuid', nullable: true })
  origin!: string | null;

  @Column({ type: 'blob' })
  content!: Buffer;

  @Column({ type: 'bigint' })
  size!: number | string;

  @Column({ type: 'decimal', precision: 20, scale: 2 })
  price!: string;

  @Column({ type: 'boolean' })
  open!: boolean;

  @Column({ ...TIME_COLUMN, name: 'read_at', nullable: true })
  readAt!: Date | null;

  @Column({ type: 'simple-json' })
  tags!: string[];
}

@Entity({ name: 'documents' })
@Index('documents_created', ['createdAt', 'id'])
class Document extends Untitled {
  @Column({ type: 'text' })
  title!: string;
}

class CreateDocuments1795305600000 extends TestMigration {
  readonly statements = (types: ColumnTypes) => [
    `CREATE TABLE "documents" (
      "id" ${types.uuidKey}, "created_at" ${types.timestamp} NOT NULL DEFAULT ${types.now},
      "updated_at" ${types.timestamp} NOT NULL DEFAULT ${types.now}, "deleted_at" ${types.timestamp},
      "origin" ${types.uuid}, "content" ${types.binary} NOT NULL, "title" ${types.text} NOT NULL,
      "size" ${types.int64} NOT NULL, "price" ${types.decimal(20, 2)} NOT NULL, "open" ${types.boolean} NOT NULL,
      "read_at" ${types.time}, "tags" ${types.json} NOT NULL
    ) ${types.tableEnd}`,
    'CREATE INDEX "documents_created" ON "documents" ("created_at", "id")',
  ];
}

const DOCUMENTS = extensionOf({}, { entities: [Document], migrations: [CreateDocuments1795305600000] });

const NEW = {
  content: Buffer.from([0, 255, 39, 92]),
  title: 'Ä',
  size: '9223372036854775807',
  price: '12.50',
  open: true,
  readAt: new Date('2026-11-24T09:30:00.123Z'),
  tags: ['a'],
};

shareApp({ extensions: [DOCUMENTS] });

const documents = (): Repository<Document> => service.app.get(Database).getRepository(Document);
const find = (id: string) => documents().findOneByOrFail({ id });
/** SQLite keeps whole seconds. */
const second = (date: Date) => Math.floor(date.getTime() / 1_000);

async function inTheMeantime<T>(work: () => T): Promise<[Awaited<T>, (date: Date | null) => boolean]> {
  const from = second(new Date());
  const result = await work();
  const until = second(new Date()) + 1;
  return [result, (date) => date !== null && second(date) >= from && second(date) <= until];
}

describe('columns of an extension', () => {
  it('keep what was stored, and are assigned an identifier and times', async () => {
    const origin = randomUUID();
    const [{ id }, isNow] = await inTheMeantime(() => documents().save({ ...NEW, origin }));
    const found = await find(id);
    expect(found).toMatchObject({ ...NEW, origin, deletedAt: null });
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect([isNow(found.createdAt), isNow(found.updatedAt)]).toEqual([true, true]);
  });

  it('have the time of the last change, by an entity or by a query', async () => {
    const past = new Date('2020-01-01T00:00:00.5Z');
    for (const change of [
      async (id: string) => documents().save({ ...(await find(id)), title: 'new' }),
      (id: string) => documents().update(id, { title: 'new' }),
    ]) {
      const { id } = await documents().save({ ...NEW, createdAt: past, updatedAt: past });
      expect((await find(id)).updatedAt).toEqual(past);
      const [, isNow] = await inTheMeantime(() => change(id));
      const { title, createdAt, updatedAt } = await find(id);
      expect([title, createdAt, isNow(updatedAt)]).toEqual(['new', past, true]);
    }
  });

  it('let rows be removed softly, and restored', async () => {
    const { id } = await documents().save(NEW);
    const removals: (() => Promise<object>)[] = [
      () => documents().softDelete(id),
      async () => documents().softRemove(await find(id)),
    ];
    for (const remove of removals) {
      const [, isNow] = await inTheMeantime(remove);
      expect(await documents().findOneBy({ id })).toBeNull();
      const [removed] = await documents().find({ where: { id }, withDeleted: true });
      expect(isNow(removed?.deletedAt ?? null)).toBe(true);
      await documents().restore(id);
      expect((await find(id)).deletedAt).toBeNull();
    }
  });

  it.each(['id', 'createdAt'] as const)('page by %s with an identifier that is a uuid', async (property) => {
    await documents().clear();
    for (const day of [1, 2, 2, 3]) await documents().save({ ...NEW, createdAt: new Date(Date.UTC(2026, 1, day)) });
    const query = documents().createQueryBuilder('document');
    const expected = (await documents().find()).toSorted((one, other) =>
      `${property === 'id' ? '' : one.createdAt.toISOString()}${one.id}` <
      `${property === 'id' ? '' : other.createdAt.toISOString()}${other.id}`
        ? -1
        : 1,
    );
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await readPage(query, { [property]: 'ASC' }, { limit: 1, after });
      ids.push(...page.items.map(({ id }) => id));
      after = page.nextAfter?.toString();
    } while (after !== undefined);
    expect(ids).toEqual(expected.map(({ id }) => id));
  });

  it.each([CreateDateColumn, UpdateDateColumn, DeleteDateColumn])(
    'cannot be a number that the database sets to a time: %p',
    async (DateColumn) => {
      @Entity({ name: 'notes' })
      class Note {
        @PrimaryGeneratedColumn({ type: 'integer' })
        id!: number;

        @DateColumn(TIME_COLUMN)
        time!: Date;
      }
      await expect(startApp({ extensions: [extensionOf({}, { entities: [Note] })] })).rejects.toThrow(
        'Note.time: TypeORM sets it to a timestamp, not to a number. Declare it without TIME_COLUMN',
      );
    },
  );
});

if (onPostgres)
  it('moves them from SQLite to PostgreSQL', async () => {
    const [from, to] = [new SqliteTestDatabase(makeFolder()), onSharedServer(makeFolder())];
    await to.createEmpty();
    const extensions = [DOCUMENTS];
    const sqlite = await startApp({ database: from, extensions });
    const stored = sqlite.app.get(Database).getRepository(Document);
    const { id } = await stored.save({ ...NEW, createdAt: new Date('2020-01-01T00:00:00.5Z') });
    await stored.softDelete(id);
    await stored.save({ ...NEW, content: Buffer.of(), origin: randomUUID(), open: false });
    const before = await stored.find({ withDeleted: true, order: { id: 'ASC' } });
    await sqlite.app.close();
    await moveToPostgres(from.path, loadEnv({ DATABASE_URL: to.url }), databaseParts(extensions));
    const postgres = await startApp({ database: to, extensions });
    const moved = postgres.app.get(Database).getRepository(Document);
    expect(await moved.find({ withDeleted: true, order: { id: 'ASC' } })).toEqual(before);
    await postgres.stop();
    await Promise.all([from.remove(), to.remove()]);
  });

const open = (extension: Pick<Extension, 'entities'>): Promise<DataSource> =>
  createDataSource(loadEnv({ DATABASE_URL: service.database.url }), [extension]).initialize();
const generated = async (dataSource: DataSource) => {
  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
  return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query) };
};

describe('migration:generate', () => {
  /** What changed since the migrations ran. */
  const changed: DataSource[] = [];

  @Entity({ name: 'documents' })
  @Index('documents_created', ['createdAt', 'id'])
  class WithNote extends Document {
    @Column({ type: 'text', nullable: true })
    note!: string | null;
  }

  @Entity({ name: 'documents' })
  @Index('documents_created', ['createdAt', 'id'])
  class WithOptionalTitle extends Untitled {
    @Column({ type: 'text', nullable: true })
    title!: string | null;
  }

  @Entity({ name: 'folders' })
  class Folder extends Untitled {}

  beforeAll(async () => {
    for (const entities of [[Document], [WithNote], [WithOptionalTitle], [Document, Folder]])
      changed.push(await open({ entities }));
  });
  afterAll(async () => {
    for (const dataSource of changed) await dataSource.destroy();
  });

  it('writes nothing after the migrations ran', async () => {
    const [same] = changed;
    expect(same && (await generated(same))).toEqual({ up: [], down: [] });
  });

  it('adds and changes columns of PostgreSQL, and says how to do so where SQLite would copy the table', async () => {
    const outcomes = changed.slice(1, 3).map((one) => generated(one).catch(({ message }: Error) => message));
    const alter = 'ALTER TABLE "documents"';
    const refusal = (column: string): unknown =>
      expect.stringMatching(`Write the migration by hand, .*, such as: ${alter} ADD COLUMN ${column}$`);
    expect(await Promise.all(outcomes)).toEqual(
      onPostgres
        ? [
            { up: [`${alter} ADD "note" text`], down: [`${alter} DROP COLUMN "note"`] },
            {
              up: [`${alter} ALTER COLUMN "title" DROP NOT NULL`],
              down: [`${alter} ALTER COLUMN "title" SET NOT NULL`],
            },
          ]
        : [refusal('"note" TEXT'), refusal(`"note" TEXT NOT NULL DEFAULT ''`)],
    );
  });

  it('is advised at the start for tables and columns that entities declare and no migration made', async () => {
    const start = startApp({ extensions: [{ ...DOCUMENTS, entities: [WithNote, Folder] }] });
    await expect(start).rejects.toThrow(
      'The extensions are not valid:\n' +
        '  WithNote.note: "documents" has no column "note". Add a migration for it, such as migration:generate writes.\n' +
        '  Folder: the database has no table "folders". Add a migration for it, such as migration:generate writes.',
    );
  });

  it('writes a new table like those of columnTypes()', async () => {
    const [, , , dataSource] = changed;
    const { up = [] } = dataSource ? await generated(dataSource) : {};
    expect(up[0]).toMatch(onPostgres ? /^CREATE TABLE "folders" .* bytea / : /^CREATE TABLE "folders" .*\) STRICT$/);
    for (const sql of up) await dataSource?.query(sql);
    expect(dataSource && (await generated(dataSource))).toEqual({ up: [], down: [] });
    await dataSource?.query('DROP TABLE "folders"');
  });
});
