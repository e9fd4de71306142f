import type { EntityManager } from 'typeorm';
import { query } from '../database/index.js';

/** What is counted apart: a status, or that there is none. */
export const COUNTED = ['available', 'pending', 'sold', 'none'] as const;

export type Counted = (typeof COUNTED)[number];

/** One pet more, or one less. */
export interface CountChange {
  /** Decimal digits. */
  readonly categoryId: string;
  readonly status: Counted;
  readonly by: 1 | -1;
}

const ADDED = COUNTED.map((status) => `"${status}" = "category_counts"."${status}" + excluded."${status}"`).join(', ');
const COLUMNS = COUNTED.map((status) => `"${status}"`).join(', ');
const ROW = `(${['category_id', ...COUNTED].map(() => 'CAST(? AS BIGINT)').join(', ')})`;

/** Keeps the counts of categories; to be called in the transaction that adds, changes or removes the pets. */
export async function countPets(manager: EntityManager, changes: readonly CountChange[]): Promise<void> {
  // Each transaction locks the rows in the same order, so that no two wait for each other.
  const rows = [...Map.groupBy(changes, ({ categoryId }) => categoryId)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const parameters = rows.flatMap(([categoryId, changesOfIt]) => [categoryId, ...COUNTED.map((status) => sum(changesOfIt, status))]);
  const sql = `INSERT INTO "category_counts" ("category_id", ${COLUMNS}) VALUES ${rows.map(() => ROW).join(', ')}
    ON CONFLICT ("category_id") DO UPDATE SET ${ADDED}`;
  await query(manager, sql, parameters);
}

function sum(changes: readonly CountChange[], status: Counted): number {
  return changes.reduce((total, change) => (change.status === status ? total + change.by : total), 0);
}
