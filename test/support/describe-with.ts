import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

/** As `describe`, for tests that start a program: left out, and said so, where it is not installed; never in CI. */
export function describeWith(program: string, ...toAsk: readonly string[]): typeof describe | typeof describe.skip {
  if (spawnSync(program, [...toAsk]).status === 0) return describe;
  if (process.env['CI'] !== undefined) throw new Error(`The tests need ${program}, which is not installed.`);
  process.stderr.write(`Tests are left out: they need ${program}, which is not installed.\n`);
  return describe.skip;
}
