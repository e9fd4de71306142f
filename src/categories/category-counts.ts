import type { EntityManager } from 'typeorm';
import { byBytes, chunksOf, lockUntilCommit, query } from '../database/index.js';

/** What is counted: each status, and pets without one. */
export const COUNTED = ['available', 'pending', 'sold', 'none'] as const;

export type Counted = (typeof COUNTED)[number];

/** A pet that was added or removed. */
export interface PetCountChange {
  /** Decimal digits. */
  readonly categoryId: string;
  readonly status: Counted;
  readonly by: 1 | -1;
}

/** Changes to the counts of a category; negative for removed pets. */
interface CountDelta extends Readonly<Record<Counted, number>> {
  /** Decimal digits. */
  readonly categoryId: string;
}

const ADDED = COUNTED.map((status) => `"${status}" = "category_counts"."${status}" + excluded."${status}"`).join(', ');
const COLUMNS = COUNTED.map((status) => `"${status}"`).join(', ');
const ROW = `(${['category_id', ...COUNTED].map(() => 'CAST(? AS BIGINT)').join(', ')})`;
const NOTHING: Omit<CountDelta, 'categoryId'> = { available: 0, pending: 0, sold: 0, none: 0 };

const REAL = COUNTED.map((status) =>
  status === 'none'
    ? 'COUNT(*) - COUNT("status") AS "none"'
    : `COUNT(CASE WHEN "status" = '${status}' THEN 1 END) AS "${status}"`,
);
const MISSING = COUNTED.map(
  (status) => `COALESCE("real"."${status}", 0) - COALESCE("counted"."${status}", 0) AS "${status}"`,
);

/** The errors of the counts. One statement, because it must see a pet and its count together. */
const DEVIATIONS = `
  SELECT * FROM (
    SELECT CAST(COALESCE("real"."category_id", "counted"."category_id") AS TEXT) AS "categoryId", ${MISSING.join(', ')}
    FROM (SELECT "category_id", ${REAL.join(', ')} FROM "pets" GROUP BY "category_id") AS "real"
      FULL JOIN "category_counts" AS "counted" ON "counted"."category_id" = "real"."category_id"
  ) AS "deviations"
  WHERE ${COUNTED.map((status) => `"${status}" <> 0`).join(' OR ')}`;

/** The counts of categories. Call it in the transaction that adds, changes or removes the pets. */
export async function applyCountDeltas(manager: EntityManager, changes: readonly PetCountChange[]): Promise<void> {
  const byCategory = [...Map.groupBy(changes, ({ categoryId }) => categoryId)];
  await addCounts(
    manager,
    byCategory.map(([categoryId, changesOfIt]) => ({ categoryId, ...sum(changesOfIt) })),
  );
}

/** Locks the counts of a category until the transaction ends. */
export async function lockCounts(manager: EntityManager, categoryId: string): Promise<void> {
  // A category without pets has no row yet: adding zero creates and locks one.
  await addCounts(manager, [{ categoryId, ...NOTHING }]);
}

/** @param deltas of different categories */
async function addCounts(manager: EntityManager, deltas: readonly CountDelta[]): Promise<void> {
  // All transactions lock the rows in the same order, which avoids deadlocks.
  const rows = deltas.toSorted((one, other) => (one.categoryId < other.categoryId ? -1 : 1));
  const parameters = rows.flatMap((row) => [row.categoryId, ...COUNTED.map((status) => row[status])]);
  const sql = `INSERT INTO "category_counts" ("category_id", ${COLUMNS}) VALUES ${rows.map(() => ROW).join(', ')}
    ON CONFLICT ("category_id") DO UPDATE SET ${ADDED}`;
  await query(manager, sql, parameters);
}

/**
 * Corrects the counts of categories in the caller's transaction. It works while pets change, because they change a count and
 * not its error.
 * @returns the number of corrected categories
 */
export async function recountPets(manager: EntityManager): Promise<number> {
  // Otherwise two of them could correct the same error.
  await lockUntilCommit(manager, 'recount');
  // In the order in which `addCounts` locks them.
  const deviations = await query<CountDelta>(manager, `${DEVIATIONS} ORDER BY ${byBytes(manager, '"categoryId"')}`);
  for (const chunk of chunksOf(deviations)) await addCounts(manager, chunk);
  return deviations.length;
}

function sum(changes: readonly PetCountChange[]): Omit<CountDelta, 'categoryId'> {
  const total = { ...NOTHING };
  for (const { status, by } of changes) total[status] += by;
  return total;
}
