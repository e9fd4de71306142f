import { OURS } from '../harness/contenders.js';
import { loadCases } from '../harness/load.js';
import { measure, type Measurement } from '../harness/measure.js';
import { say } from '../harness/progress.js';
import { seedDatabase } from '../harness/seed.js';
import { median } from '../harness/statistics.js';
import { figure, table } from '../harness/table.js';
import { growthCases } from './cases.js';

/** Measures our service on catalogues of several sizes. Returns a table of the CPU time per request. */
export async function catalogueGrowth(sizes: readonly number[], starts: number, seconds: number): Promise<string> {
  const columns: Map<string, number>[] = [];
  for (const size of sizes) {
    say(`seeding ${size} pets`);
    const seed = await seedDatabase(size);
    try {
      const cases = loadCases(growthCases(seed.key, size), seed.folder);
      const measurements: Measurement[] = [];
      for (let round = 1; round <= starts; round++) {
        say(`start ${round} of ${starts}`);
        measurements.push(...(await measure([OURS], cases, { seed, answers: '', seconds })));
      }
      const cost = (name: string) =>
        median(measurements.filter((one) => one.case === name).map((one) => one.cpuMicroseconds));
      columns.push(new Map(cases.map(({ name }) => [name, cost(name)])));
    } finally {
      await seed.remove();
    }
  }
  const names = [...(columns[0]?.keys() ?? [])];
  const rows = names.map((name) => {
    const costs = columns.map((column) => column.get(name) ?? Number.NaN);
    return [name, ...costs.map(figure), `${figure(Math.max(...costs) / Math.min(...costs))} x`];
  });
  return table(['', ...sizes.map((size) => `${size.toLocaleString('en')} pets`), 'most / least'], rows);
}
