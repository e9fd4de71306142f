import { statSync } from 'node:fs';
import { unavailable } from './unavailable.js';

/**
 * Knows the file that a database was opened in. SQLite goes on in a file that was deleted or moved away, where
 * everything written would be lost: such a database is away until the very file is back.
 */
export class FileIdentity {
  private readonly opened: string;

  /** @param path of a file that is there */
  constructor(private readonly path: string) {
    this.opened = this.current();
  }

  /** @throws ApiError `service_unavailable` */
  check(): void {
    if (this.current() !== this.opened) throw unavailable(new Error(`${this.path} is not the file that was opened.`));
  }

  private current(): string {
    const { dev, ino } = statSync(this.path, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
    return `${dev}:${ino}`;
  }
}
