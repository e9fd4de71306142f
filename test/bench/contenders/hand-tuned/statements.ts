import type { Database } from './database.js';

export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  /** Left out of the answer where it is not set. */
  readonly status: string | undefined;
}

export type NewPet = Omit<Pet, 'id' | 'status'> & { readonly status?: string };
type Row = Omit<Pet, 'status'> & { readonly status: string | null };

const COLUMNS = 'id, name, category_id AS categoryId, status';

/** Every statement, prepared once. */
export function petStatements(database: Database) {
  const all = database.prepare<[number, number], Row>(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
  const byStatus = database.prepare<[string, number, number], Row>(
    `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const one = database.prepare<[number], Row>(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
  const insert = database.prepare<[string, number, string | null]>('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  return {
    list: (status: string | undefined, after: number, limit: number): Pet[] =>
      (status === undefined ? all.all(after, limit) : byStatus.all(status, after, limit)).map(toPet),
    get(id: number): Pet | undefined {
      const row = one.get(id);
      return row === undefined ? undefined : toPet(row);
    },
    create: ({ name, categoryId, status }: NewPet): number => Number(insert.run(name, categoryId, status ?? null).lastInsertRowid),
  };
}

function toPet({ id, name, categoryId, status }: Row): Pet {
  return { id, name, categoryId, status: status ?? undefined };
}
