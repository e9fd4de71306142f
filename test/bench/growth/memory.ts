import { benchCases, PETS } from '../harness/cases.js';
import { OURS } from '../harness/contenders.js';
import { loadCases } from '../harness/load.js';
import { start } from '../harness/running.js';
import { seedDatabase } from '../harness/seed.js';

const ROUNDS = 2;

/**
 * Peak resident memory in MiB after each round of all benchmark cases. There is no idle time for V8 to collect garbage.
 */
export async function memoryUnderLoad(secondsPerCase: number): Promise<number[]> {
  const seed = await seedDatabase(PETS);
  try {
    const cases = loadCases(benchCases(seed.key), seed.folder);
    const running = await start(OURS, seed);
    const peaks: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of cases) await one.send(running.origin, secondsPerCase);
      peaks.push(running.peakMemoryMiB());
    }
    await running.stop();
    return peaks;
  } finally {
    await seed.remove();
  }
}
