import { describe, expect, it } from '@jest/globals';
import { buildContenders } from './harness/build.js';
import { benchCases, PETS } from './harness/cases.js';
import { compareAnswers } from './harness/compare.js';
import { RIVALS } from './harness/contenders.js';
import { seedDatabase } from './harness/seed.js';

describe('the contenders of the benchmark', () => {
  it('all answer as ours does', async () => {
    buildContenders();
    const seed = seedDatabase(PETS);
    try {
      const rivals = RIVALS.filter(({ name }) => name !== 'again');
      await expect(compareAnswers(seed, rivals, benchCases(seed.key))).resolves.toContain(seed.folder);
    } finally {
      seed.remove();
    }
  }, 60_000);
});
