import { queryDatabase } from './databases.js';

const COUNTED = ['available', 'pending', 'sold']
  .map((status) => `COUNT(CASE WHEN "status" = '${status}' THEN 1 END) AS "${status}"`)
  .join(', ');

/** Returns the number of pets per category, from the counts table and from the pets themselves. */
export async function categoryCounts(folder: string): Promise<{ counted: object[]; real: object[] }> {
  const counted = await queryDatabase(
    folder,
    `SELECT CAST("category_id" AS TEXT) AS "id", "available", "pending", "sold", "none" FROM "category_counts"
      WHERE "available" <> 0 OR "pending" <> 0 OR "sold" <> 0 OR "none" <> 0 ORDER BY "category_id"`,
  );
  const real = await queryDatabase(
    folder,
    `SELECT CAST("category_id" AS TEXT) AS "id", ${COUNTED}, COUNT(*) - COUNT("status") AS "none" FROM "pets" GROUP BY "category_id" ORDER BY "category_id"`,
  );
  return { counted, real };
}
