import { send } from '../harness/ask.js';
import { OURS } from '../harness/contenders.js';
import { start } from '../harness/running.js';
import { seedDatabase } from '../harness/seed.js';
import { median } from '../harness/statistics.js';

/** From the start of the process to the first page of the list with status 200, in milliseconds; the median of some starts. */
export async function firstAnswerMs(starts: number): Promise<number> {
  const seed = await seedDatabase(1_000);
  try {
    const all: number[] = [];
    for (let round = 0; round < starts; round++) {
      const begunMs = performance.now();
      const running = await start({ file: OURS.file, env: (await seed.copy()).env });
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
