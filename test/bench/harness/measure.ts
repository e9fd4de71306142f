import { rmSync } from 'node:fs';
import type { Case } from './cases.js';
import type { Contender } from './contenders.js';
import { type Load, type LoadedDeck } from './load.js';
import { start } from './running.js';
import type { Seed } from './seed.js';

const WARM_UP_SECONDS = 1;

export interface LoadedCase extends Case {
  readonly loaded: LoadedDeck;
}

/** One measurement: one case on one start of one contender. */
export interface Measurement extends Load {
  readonly contender: string;
  readonly case: string;
  /** Processor time per request: what holds on a machine that has other work to do too. */
  readonly cpuMicroseconds: number;
  /** Most resident memory of the process up to the end of this case. */
  readonly peakMemoryMiB: number;
}

/** Starts a contender on a fresh copy of the database and measures it in all cases, one after the other. */
export async function measure(
  { name, title, file, constant }: Contender,
  cases: readonly LoadedCase[],
  { seed, answers, seconds }: { readonly seed: Seed; readonly answers: string; readonly seconds: number },
): Promise<Measurement[]> {
  const database = seed.copy();
  const running = await start({ file, database, answers });
  try {
    const measurements: Measurement[] = [];
    for (const one of cases) {
      if (constant === true && !one.constant) continue;
      await one.loaded.send(running.port, WARM_UP_SECONDS);
      const beforeSeconds = running.cpuSeconds();
      const load = await one.loaded.send(running.port, seconds);
      check(load, one, title);
      const cpuMicroseconds = ((running.cpuSeconds() - beforeSeconds) / load.requests) * 1e6;
      measurements.push({ ...load, cpuMicroseconds, contender: name, case: one.name, peakMemoryMiB: running.peakMemoryMiB() });
    }
    return measurements;
  } finally {
    await running.stop();
    for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
  }
}

/** A fast answer is worth nothing when it is a wrong one. */
function check({ requests, refused, broken }: Load, { title, expect }: Case, contender: string): void {
  const wrong = expect === 401 ? requests - refused : refused;
  if (wrong === 0 && broken === 0 && requests > 0) return;
  throw new Error(`${contender}, ${title}: of ${requests} answers ${wrong} have the wrong status, and ${broken} connections or waits failed.`);
}
