import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Places } from './place.js';

/** SQLite files in a folder. */
export function sqlitePlaces(folder: string): Places {
  const original = join(folder, 'seed.sqlite');
  let copies = 0;
  return {
    original: envOf(original),
    run: async (sql) => {
      const database = new SQLite(original);
      database.exec(sql);
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
    },
    copy: async () => {
      const file = join(folder, `${(copies += 1)}.sqlite`);
      copyFileSync(original, file);
      return {
        env: envOf(file),
        remove: async () => {
          for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
        },
      };
    },
    remove: async () => undefined,
  };
}

function envOf(file: string) {
  return { DATABASE_URL: `sqlite:${file}` };
}
