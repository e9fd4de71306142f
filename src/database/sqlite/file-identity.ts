import { statSync } from 'node:fs';
import { unavailable } from '../unavailable.js';

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

  /** @throws UnavailableError */
  check(): void {
    if (this.current() !== this.opened) throw unavailable(new Error(`${this.path} is not the file that was opened.`));
  }

  private current(): string {
    const { dev, ino } = statSync(this.path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    return `${dev}:${ino}`;
  }
}
