import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

type Describe = typeof describe | typeof describe.skip;

/** As `describe`, for tests that start a program: left out, and said so, where it is not installed; never in CI. */
export function describeWith(program: string, ...toAsk: readonly string[]): Describe {
  return describeWhere(spawnSync(program, [...toAsk]).status === 0, `${program}, which is not installed`);
}

/**
 * As `describe`, for tests that need something of the machine: left out, and said so, where it is not there; never in CI.
 * @param need continues "they need"
 */
export function describeWhere(isThere: boolean, need: string): Describe {
  if (isThere) return describe;
  if (process.env['CI'] !== undefined) throw new Error(`The tests need ${need}.`);
  process.stderr.write(`Tests are left out: they need ${need}.\n`);
  return describe.skip;
}
