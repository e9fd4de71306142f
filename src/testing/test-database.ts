import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'sqlite-driver';
import { isBusy } from '../database/unavailable.js';

/** An empty database for tests. */
export interface TestDatabase {
  /** Value of DATABASE_URL. */
  readonly url: string;
  /** Runs one statement on a separate connection, also while the service uses the database. */
  query<Row extends object>(sql: string): Promise<Row[]>;
}

/** Of folders of the kit, whichever process made them. `folders` are others of this process. */
const PREFIX = 'petstore-test-';
const LOCK_WAIT_MS = 60_000;
const folders = new Set<string>();

/** A SQLite file in a folder, which is removed with it. */
export class SqliteTestDatabase implements TestDatabase {
  readonly path: string;

  /**
   * @param folder a new or empty one, or that of an earlier test database; default: a new temporary one
   * @throws Error if the folder has files, which could be those of a service
   */
  constructor(private readonly folder: string = mkdtempSync(join(tmpdir(), PREFIX))) {
    this.folder = resolve(folder);
    this.path = join(this.folder, 'petstore.sqlite');
    const isOwn = folders.has(this.folder) || basename(this.folder).startsWith(PREFIX);
    if (!isOwn && existsSync(this.folder) && readdirSync(this.folder).length > 0)
      throw new Error(`${this.folder} is not the folder of a test database. Pass an empty folder, or none.`);
    folders.add(this.folder);
  }

  get url(): string {
    return `sqlite:${this.path}`;
  }

  async query<Row extends object>(sql: string): Promise<Row[]> {
    // SQLite itself would wait without letting the service of this process end what it locks.
    const database = new Sqlite(this.path, { timeout: 0 });
    const deadlineMs = performance.now() + LOCK_WAIT_MS;
    try {
      for (;;) {
        try {
          const statement = database.prepare<unknown[], Row>(sql);
          if (statement.reader) return statement.all();
          statement.run();
          return [];
        } catch (error) {
          if (!isBusy(error) || performance.now() > deadlineMs) throw error;
        }
        await delay(5);
      }
    } finally {
      database.close();
    }
  }

  async remove(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
