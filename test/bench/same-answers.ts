import { buildContenders } from './harness/build.js';
import { benchCases, PETS } from './harness/cases.js';
import { compareAnswers } from './harness/compare.js';
import { RIVALS } from './harness/contenders.js';
import type { Servers } from './harness/options.js';
import { seedDatabase } from './harness/seed.js';

/**
 * Checks that all contenders return the same responses as our service.
 * @throws AssertionError that shows the first difference
 */
export async function sameAnswers(on: Servers): Promise<void> {
  buildContenders();
  const seed = await seedDatabase(PETS, on);
  try {
    await compareAnswers(
      seed,
      RIVALS.filter(({ name }) => name !== 'again'),
      benchCases(seed.key),
    );
  } finally {
    await seed.remove();
  }
}
