import SQLite from 'better-sqlite3';
import type { Backend } from './backend.js';
import { keyFinder, type KeyRow, SELECT_KEY } from './keys.js';
import { INSERT_PET, type NewPet, type PetRow, SELECT_PETS, toPet } from './statements.js';

/** Prepares every statement once. Counts the limits in memory. */
export function openSqlite(file: string): Backend {
  const database = new SQLite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  const key = database.prepare<[string], KeyRow>(`${SELECT_KEY} ?`);
  const all = database.prepare<[number, number], PetRow>(`${SELECT_PETS} WHERE id > ? ORDER BY id LIMIT ?`);
  const byStatus = database.prepare<[string, number, number], PetRow>(
    `${SELECT_PETS} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const one = database.prepare<[number], PetRow>(`${SELECT_PETS} WHERE id = ?`);
  const insert = database.prepare<[string, number, string | null]>(`${INSERT_PET} (?, ?, ?)`);
  return {
    findKey: keyFinder((sha256) => key.get(sha256)),
    counters: {},
    pets: {
      list: (status, after, limit) =>
        (status === undefined ? all.all(after, limit) : byStatus.all(status, after, limit)).map(toPet),
      get: (id) => {
        const row = one.get(id);
        return row === undefined ? undefined : toPet(row);
      },
      create: ({ name, categoryId, status }: NewPet) =>
        Number(insert.run(name, categoryId, status ?? null).lastInsertRowid),
    },
  };
}
