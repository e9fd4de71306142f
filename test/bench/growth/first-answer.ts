import { send } from '../harness/ask.js';
import { OURS } from '../harness/contenders.js';
import { start } from '../harness/running.js';
import { seedDatabase } from '../harness/seed.js';
import { median } from '../harness/statistics.js';

/** Median time in milliseconds from process start to the first 200 response of the list. */
export async function firstAnswerMs(starts: number): Promise<number> {
  const seed = await seedDatabase(1_000);
  try {
    const all: number[] = [];
    for (let round = 0; round < starts; round++) {
      const begunMs = performance.now();
      const running = await start(OURS, seed);
      const { status } = await send(
        { method: 'GET', path: '/v1/pets', headers: { authorization: `Bearer ${seed.key}` } },
        running.port,
      );
      all.push(performance.now() - begunMs);
      await running.stop();
      if (status !== 200) throw new Error(`The first answer has the status ${status}.`);
    }
    return median(all);
  } finally {
    await seed.remove();
  }
}
