import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { unavailable } from '../unavailable.js';

/** The file that a `sqlite:` URL names; `sqlite::memory:` is a private file in the temporary directory. */
export function sqliteFile(databaseUrl: string): string {
  if (databaseUrl !== 'sqlite::memory:') return resolve(databaseUrl.slice('sqlite:'.length));
  // Two connections cannot share a database in memory, and reads have their own.
  const folder = mkdtempSync(join(tmpdir(), 'petstore-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'petstore.sqlite');
}

/**
 * Creates a database file, and its folders, that only the user of this process can read. Existing files and folders are
 * kept. SQLite gives its other files the mode of the database.
 */
export function createPrivateFile(file: string): void {
  createFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
}

/** `mkdirSync` with `recursive` never returns if a parent can have no folders, as in `/proc`. */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  mkdirSync(folder, 0o700);
}

/**
 * Detects that the database file was deleted or moved. SQLite would keep writing to it and lose everything, so the
 * database is unavailable until the same file is back.
 */
export class FileIdentity {
  private readonly opened: string;

  /** @param path of an existing file */
  constructor(private readonly path: string) {
    this.opened = this.current();
  }

  /** @throws DomainError `service_unavailable` */
  check(): void {
    if (this.current() !== this.opened) throw unavailable(new Error(`${this.path} is not the file that was opened.`));
  }

  private current(): string {
    const { dev, ino } = statSync(this.path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    return `${dev}:${ino}`;
  }
}
