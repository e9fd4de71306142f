import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../dist/src/v8/young-generation.js')).href;

/** Prints the size in MiB at first, after collections while idle, idle for a check longer, and after being busy. */
const SCRIPT = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { getHeapSpaceStatistics } from 'node:v8';
  const { sizeYoungGeneration } = await import('${MODULE}');
  const sizeMib = () => {
    const { space_used_size, space_available_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    return Math.round((space_used_size + space_available_size) / 2 ** 20);
  };
  sizeYoungGeneration();
  const sizes = [sizeMib()];
  for (let collections = 0; collections < 20 && sizeMib() === sizes[0]; collections++) {
    await delay(200);
    gc();
  }
  sizes.push(sizeMib());
  await delay(1_100);
  sizes.push(sizeMib());
  const endMs = performance.now() + 2_100;
  while (performance.now() < endMs) {
    const pauseMs = performance.now() + 5;
    while (performance.now() < pauseMs) JSON.parse('[{}]');
    await delay(1);
  }
  sizes.push(sizeMib());
  process.stdout.write(JSON.stringify(sizes));
`;

describe('the young generation of the heap', () => {
  it('has 8 MiB from the start, may shrink while there is little to do, and grows back once there is more', () => {
    const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
    const [first = 0, shrunk = 0, idle, busy] = JSON.parse(output) as number[];
    expect(first).toBe(8);
    expect(shrunk).toBeLessThan(8);
    expect(idle).toBe(shrunk);
    expect(busy).toBe(8);
  });
});
