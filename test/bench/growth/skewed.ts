import { type Ask, send } from '../harness/ask.js';
import { OURS } from '../harness/contenders.js';
import { say } from '../harness/progress.js';
import { start } from '../harness/running.js';
import { seedDatabase } from '../harness/seed.js';
import { median } from '../harness/statistics.js';
import { figure, table } from '../harness/table.js';

/** Of each list, with different limits, so that no response is in memory. */
const REQUESTS = 80;

/**
 * Rows of which the last eighth has a category and an account of its own, so that statistics suggest that rows of these are
 * everywhere. Of the statuses, some are rare or absent there.
 */
function skewedRows(rows: number): string {
  const from = Math.floor((rows * 7) / 8);
  return `
    INSERT INTO pets (name, category_id, status)
      SELECT 'Pet', n % 200, (array['available', 'pending', 'sold'])[1 + n % 3] FROM generate_series(1, ${from}) n;
    INSERT INTO pets (name, category_id, status)
      SELECT 'Pet', 300, CASE WHEN n % 2 = 0 THEN 'available' ELSE 'sold' END FROM generate_series(${from + 1}, ${rows}) n;
    INSERT INTO orders (account_id, pet_id, status, created_at)
      SELECT 2 + n % 200, n, 'delivered', n FROM generate_series(1, ${from}) n;
    INSERT INTO orders (account_id, pet_id, status, created_at)
      SELECT 1, n, CASE WHEN n % 2 = 0 THEN 'approved' ELSE 'placed' END, n FROM generate_series(${from + 1}, ${rows}) n;`;
}

const PETS = [
  '',
  'categoryId=300',
  'categoryId=7',
  'status=sold',
  'categoryId=300&status=sold',
  'categoryId=300&status=pending',
];
const ORDERS = ['', 'status=placed', 'status=delivered'];
const LISTS = [...PETS.map((filters) => `pets?${filters}`), ...ORDERS.map((filters) => `store/orders?${filters}`)];

/** The median latency of each list on PostgreSQL, with its default settings and skewed data, by number of rows. */
export async function skewedLists(sizes: readonly number[]): Promise<string> {
  const columns: number[][] = [];
  for (const rows of sizes) {
    say(`seeding ${rows} skewed rows`);
    const seed = await seedDatabase(0, 'postgres', skewedRows(rows));
    const running = await start(OURS, seed);
    const headers = { authorization: `Bearer ${seed.key}` };
    const medianMs = async (path: string) => {
      const times: number[] = [];
      for (let n = 0; n < REQUESTS; n += 1) {
        const ask: Ask = { method: 'GET', path: `/v1/${path}&limit=${20 + n}`, headers };
        const beginMs = performance.now();
        const { status } = await send(ask, running.port);
        times.push(performance.now() - beginMs);
        if (status !== 200) throw new Error(`${ask.path} is answered with ${status}.`);
      }
      return median(times);
    };
    try {
      const column: number[] = [];
      for (const list of LISTS) for (const path of pagesOf(list, rows)) column.push(await medianMs(path));
      columns.push(column);
    } finally {
      await running.stop();
      await seed.remove();
    }
  }
  const names = LISTS.flatMap((list) => [`${list}, first page`, `${list}, deep page`]);
  const cells = names.map((name, index) => {
    const costs = columns.map((column) => column[index] ?? Number.NaN);
    return [name, ...costs.map(figure), `${figure(Math.max(...costs) / Math.min(...costs))} x`];
  });
  return table(['', ...sizes.map((rows) => `${rows.toLocaleString('en')} rows`), 'most / least'], cells);
}

const pagesOf = (list: string, rows: number) => [list, `${list}&after=${rows - 50}`];
