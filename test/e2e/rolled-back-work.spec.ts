import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  type NestInterceptor,
  Post,
  RequestTimeoutException,
  UseInterceptors,
} from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { catchError, throwError, timeout } from 'rxjs';
import { DataSource, type Repository } from 'typeorm';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { Database, type Extension, Idempotent, onCommit, Operation, PetsModule, PetsService } from '../../src/index.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';
import { operationsOf } from '../support/operations.js';
import { isRefused, until } from '../support/until.js';

/** Work that goes on after its transaction has ended. */
type Straggler = ReturnType<typeof straggler>;

let dataSource: DataSource;
let database: Database;
let pets: PetsService;

const late = { begin: Promise.withResolvers<void>(), outcome: Promise.withResolvers<unknown>() };

class TimingOut implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      timeout(20),
      catchError(() => throwError(() => new RequestTimeoutException())),
    );
  }
}

const slowNote = operationsOf('pets:write', 'A slow note');

@Controller('slow-notes')
class SlowNotesController {
  constructor(
    @InjectRepository(NoteEntity) private readonly notes: Repository<NoteEntity>,
    private readonly catalogue: PetsService,
  ) {}

  @Post()
  @Idempotent()
  @Operation(slowNote('createSlowNote', { success: { status: 201, description: 'Taken.' } }))
  @UseInterceptors(TimingOut)
  async create() {
    await this.notes.save({ text: 'first half', pet: null });
    await late.begin.promise;
    const rest = [this.notes.save({ text: 'second half', pet: null }), this.catalogue.create(PET)];
    late.outcome.resolve(await Promise.allSettled(rest));
    return {};
  }
}

const SLOW_NOTES = extensionOf({
  imports: [PetsModule, TypeOrmModule.forFeature([NoteEntity])],
  controllers: [SlowNotesController],
});

const PET = { name: 'straggler', categoryId: 1 };

/** Shares an application for the tests of a `describe`, which leave no rows. */
function shareAppWithNotes(extensions: Extension[], env: Record<string, string> = {}): void {
  shareApp({ extensions, env }, AMPLE, () => {
    dataSource = service.app.get(DataSource);
    database = service.app.get(Database);
    pets = service.app.get(PetsService);
  });
  afterEach(async () => {
    await queryDatabase(service.folder, 'DELETE FROM "notes"');
    await queryDatabase(service.folder, `DELETE FROM "pets" WHERE "name" = 'straggler'`);
  });
}

const write = (text: string) => notesOf(service).save({ text, pet: null });

/** Every way to the database, each of which would leave a row. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a repository saves': () => write('saved'),
  'a repository inserts': () => notesOf(service).insert({ text: 'inserted' }),
  'a query builder inserts': () => notesOf(service).createQueryBuilder().insert().values({ text: 'built' }).execute(),
  'a statement is sent': () => dataSource.query(`INSERT INTO "notes" ("text") VALUES ('raw')`),
  'a transaction begins': () => dataSource.transaction((manager) => manager.insert(NoteEntity, { text: 'own' })),
  'Database.write begins': () => database.write((manager) => manager.insert(NoteEntity, { text: 'written' })),
  'a query runner begins a transaction': async () => {
    const runner = dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.manager.insert(NoteEntity, { text: 'runner' });
      await runner.commitTransaction();
    } finally {
      await runner.release();
    }
  },
  'PetsService creates': () => pets.create(PET),
};

/** Begins work in the current transaction. It makes every call once it is told to. */
function straggler() {
  const begin = Promise.withResolvers<void>();
  const outcomes = begin.promise.then(async () => {
    const all: PromiseSettledResult<unknown>[] = [];
    for (const way of Object.values(WAYS)) all.push(...(await Promise.allSettled([way()])));
    return all;
  });
  return {
    outcomes,
    /** @returns what each of its calls came to */
    async makeCalls(): Promise<string[]> {
      begin.resolve();
      return reasonsOf(await outcomes);
    },
  };
}

/** What another process finds. */
async function left(): Promise<number> {
  const rows = await queryDatabase(
    service.folder,
    `SELECT 1 AS "one" FROM "notes" UNION ALL SELECT 1 FROM "pets" WHERE "name" = 'straggler'`,
  );
  return rows.length;
}

const reasonsOf = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : 'done'));
const refused = Object.keys(WAYS).map(() => expect.stringContaining('was rolled back'));

async function fail(): Promise<never> {
  throw new Error('on purpose');
}

describe('work that goes on', () => {
  shareAppWithNotes([NOTES, SLOW_NOTES]);

  describe('after its transaction was rolled back', () => {
    it.each(['Database.write', 'dataSource.transaction'])(
      'is refused whatever it calls, after a sibling failed: %s',
      async (how) => {
        let rest: Straggler | undefined;
        const work = async () => {
          await write('before');
          rest = straggler();
          await Promise.all([rest.outcomes, fail()]);
        };
        const failing = how === 'Database.write' ? database.write(work) : dataSource.transaction(work);
        await expect(failing).rejects.toThrow('on purpose');
        expect(await rest?.makeCalls()).toEqual(refused);
        expect(await left()).toBe(0);
      },
    );

    it('is refused after a request with an Idempotency-Key timed out', async () => {
      const headers = { 'Idempotency-Key': 'slow' };
      expect((await service.json('/v1/slow-notes', { key, headers, body: {} })).status).toBe(408);
      late.begin.resolve();
      expect(reasonsOf((await late.outcome.promise) as PromiseSettledResult<unknown>[])).toEqual(refused.slice(0, 2));
      expect(await left()).toBe(0);
    });

    it('is refused if it is the commit that failed, also while that is under way', async () => {
      if (onPostgres) await dataSource.query('ALTER TABLE "notes" ALTER CONSTRAINT "notes_pet_id_fkey" DEFERRABLE');
      const calls: Promise<PromiseSettledResult<unknown>[]>[] = [];
      const failing = database.write(async (manager) => {
        await manager.query(onPostgres ? 'SET CONSTRAINTS ALL DEFERRED' : 'PRAGMA defer_foreign_keys = ON');
        await manager.query(`INSERT INTO "notes" ("text", "pet_id") VALUES ('of no pet', 987654321)`);
        void nextTurn().then(async () => {
          for (let n = 0; n < 100; n++) {
            calls.push(Promise.allSettled([write(`repository ${n}`), pets.create(PET)]));
            await (n % 10 === 0 ? nextTurn() : undefined);
          }
        });
      });
      await expect(failing).rejects.toThrow(/foreign key/i);
      await until(() => calls.length === 100);
      expect(reasonsOf((await Promise.all(calls)).slice(-1).flat())).toEqual(refused.slice(0, 2));
      expect(await left()).toBe(0);
    });

    it('can register no callback', async () => {
      const begin = Promise.withResolvers<void>();
      let registering: Promise<void> | undefined;
      const failing = database.write(async () => {
        registering = begin.promise.then(() => onCommit(() => undefined));
        await fail();
      });
      await expect(failing).rejects.toThrow('on purpose');
      begin.resolve();
      await expect(registering).rejects.toThrow('was rolled back');
    });

    it('shares its reading of a pet with a request, which is not refused', async () => {
      const catalogue = service.app.get(PetsRepository);
      const begin = Promise.withResolvers<void>();
      let first: Promise<unknown> | undefined;
      const failing = database.write(async () => {
        first = begin.promise.then(() => catalogue.load('1'));
        await fail();
      });
      await expect(failing).rejects.toThrow('on purpose');
      begin.resolve();
      await begin.promise;
      await expect(Promise.all([first, catalogue.load('1')])).resolves.toHaveLength(2);
    });

    it('does not affect the caller of the transaction, or others', async () => {
      const first = database.write(fail).catch(() => write('instead'));
      await Promise.all([first, write('other')]);
      expect(await left()).toBe(2);
    });
  });

  describe('after its transaction was committed', () => {
    it('is its own', async () => {
      let rest: Straggler | undefined;
      await database.write(async () => {
        rest = straggler();
      });
      expect(await rest?.makeCalls()).toEqual(Object.keys(WAYS).map(() => 'done'));
      expect(await left()).toBe(Object.keys(WAYS).length);
    });

    it('belongs to the outer transaction while that is open, and is rolled back with it', async () => {
      let rest: Straggler | undefined;
      const outer = database.write(async () => {
        await database.write(async () => {
          rest = straggler();
        });
        expect(await rest?.makeCalls()).toEqual(Object.keys(WAYS).map(() => 'done'));
        await fail();
      });
      await expect(outer).rejects.toThrow('on purpose');
      expect(await left()).toBe(0);
    });
  });
});

describe('a transaction that does not end', () => {
  shareAppWithNotes([NOTES], { DATABASE_TRANSACTION_TIMEOUT_MS: '300' });

  it.each(['forgotten', 'released'])('is rolled back if it is %s, and does not block others for long', async (how) => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.manager.insert(NoteEntity, { text: how });
    if (how === 'released') await runner.release();
    expect((await service.post('/v1/pets', key, PET)).status).toBe(201);
    // On PostgreSQL nothing else waits for it.
    await until(() => isRefused(() => runner.query('SELECT 1')));
    await expect(runner.manager.insert(NoteEntity, { text: 'late' })).rejects.toBeInstanceOf(Error);
    expect(await notesOf(service).count()).toBe(0);
    await runner.release();
  });

  it('is refused as unavailable, and whatever it calls later', async () => {
    let rest: Straggler | undefined;
    const work = dataSource.transaction(async (manager) => {
      await write('before');
      rest = straggler();
      await until(() => isRefused(() => manager.query('SELECT 1')));
      await rest.makeCalls();
    });
    await expect(work).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await rest?.outcomes).toEqual(
      refused.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'service_unavailable' }) })),
    );
    expect(await left()).toBe(0);
  });

  it('is refused as unavailable, although its work never ends', async () => {
    const work = dataSource.transaction(() => write('hanging').then(() => new Promise(() => undefined)));
    await expect(work).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await left()).toBe(0);
  });

  it('releases its connection, any number of times', async () => {
    const runners = Array.from({ length: 12 }, () => dataSource.createQueryRunner());
    await Promise.all(runners.map((runner) => runner.query('SELECT 1')));
    expect(await notesOf(service).count()).toBe(0);
    expect((await service.post('/v1/pets', key, PET)).status).toBe(201);
  });
});
