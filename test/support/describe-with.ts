import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

type Describe = typeof describe | typeof describe.skip;

/** Like `describe`, for tests that start a program. Skips them with a message if it is not installed, except in CI. */
export function describeWith(program: string, ...toAsk: readonly string[]): Describe {
  return describeWhere(spawnSync(program, [...toAsk]).status === 0, `${program}, which is not installed`);
}

/**
 * Like `describe`, for tests that depend on the machine. Skips them with a message if the dependency is missing, except
 * in CI.
 * @param need continues "they need"
 */
export function describeWhere(isThere: boolean, need: string): Describe {
  if (isThere) return describe;
  if (process.env['CI'] !== undefined) throw new Error(`The tests need ${need}.`);
  process.stderr.write(`Tests are left out: they need ${need}.\n`);
  return describe.skip;
}
