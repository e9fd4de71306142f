import type { OpenAPIObject } from '@nestjs/swagger';
import { SqliteTestDatabase } from '../../src/testing/test-database.js';
import { fetchDocument } from '../openapi/document.js';
import { FakeClock, startApp, type TestApp, type TestAppOptions } from '../support/app.js';
import { makeFolder, onSharedServer, withoutDatabase } from '../support/databases.js';
import type { PostgresTestDatabase } from '../support/servers/postgres-test-database.js';
import { importHolders } from './holders.js';
import type { Step } from './step.js';
import { type Answer, Twin } from './twin.js';

export interface Exchange {
  readonly step: Step;
  readonly sqlite: Answer;
  readonly postgres: Answer;
}

/** The service on both databases, which start empty except for the same keys, at the same time. */
export class Twins {
  private constructor(
    readonly sqlite: TestApp,
    readonly postgres: TestApp,
    private readonly sqliteDatabase: SqliteTestDatabase,
    private readonly clock: FakeClock,
    private readonly twins: readonly [Twin, Twin],
  ) {}

  /** @param prepare prepares the database of PostgreSQL; default: it is created as it is by default */
  static async start(prepare?: (database: PostgresTestDatabase) => Promise<void>): Promise<Twins> {
    const clock = new FakeClock();
    const start = (options: TestAppOptions) => startApp({ clock, ...options });
    const folder = makeFolder();
    const database = new SqliteTestDatabase(folder);
    const postgresFolder = makeFolder();
    await prepare?.(onSharedServer(postgresFolder));
    const [sqlite, postgres] = await Promise.all([start({ folder, database }), start({ folder: postgresFolder })]);
    await Promise.all([importHolders(sqlite), importHolders(postgres)]);
    return new Twins(sqlite, postgres, database, clock, [new Twin(sqlite), new Twin(postgres)]);
  }

  document(): Promise<OpenAPIObject> {
    return fetchDocument(this.sqlite);
  }

  async tell(steps: readonly Step[]): Promise<Exchange[]> {
    const exchanges: Exchange[] = [];
    for (const step of steps) {
      if (step.at !== undefined) this.clock.set(step.at);
      this.clock.advanceSeconds(step.waitSeconds ?? 0);
      const [sqlite, postgres] = this.twins;
      const [one, other] = await Promise.all([sqlite.send(step), postgres.send(step)]);
      exchanges.push({ step, sqlite: one, postgres: other });
    }
    return exchanges;
  }

  withoutDatabases<T>(doing: () => Promise<T>): Promise<T> {
    return withoutDatabase(onSharedServer(this.postgres.folder), () => withoutDatabase(this.sqliteDatabase, doing));
  }

  async stop(): Promise<void> {
    await Promise.all([this.sqlite.stop(), this.postgres.stop()]);
  }
}
