import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../dist/src/v8/old-generation.js')).href;

/** Leaves much behind that lives just long enough to be moved out of the young generation; prints bytes that are live, and the most there were. */
const SCRIPT = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { getHeapStatistics } from 'node:v8';
  const { boundOldGeneration } = await import('${MODULE}');
  const usedBytes = () => getHeapStatistics().used_heap_size;
  const make = () => ({ numbers: [1, 2, 3, 4, 5, 6, 7, 8], a: {}, b: {} });
  boundOldGeneration();
  const live = Array.from({ length: 150_000 }, make);
  // It collects once by itself.
  await delay(1_200);
  const sizes = [usedBytes(), 0];
  const recent = [];
  for (let made = 0; made < 12_000_000; made++) {
    recent[made % 50_000] = make();
    if (made % 1_000 === 0) sizes[1] = Math.max(sizes[1], usedBytes());
  }
  process.stdout.write(JSON.stringify(live.length > 0 && sizes));
`;

describe('the old generation of the heap', () => {
  it('is collected before it is several times as large as what is live', () => {
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
    const [live = 0, most = 0] = JSON.parse(output) as number[];
    // The rest is the young generation. V8 by itself lets it become 6 times as large.
    expect(most / live).toBeLessThan(4);
  });
});
