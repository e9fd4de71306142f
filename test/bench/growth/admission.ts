import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { BUILT } from '../harness/build.js';
import { onServerCpu } from '../harness/cpus.js';
import { table, whole } from '../harness/table.js';
import type { AdmissionCost } from './admission-cost.js';

const ACCOUNTS = [10, 1_000_000];

/** Runs a program of this folder in a process of its own. @returns what it prints */
function run(name: string, ...more: string[]): string {
  const script = join(BUILT, 'test/bench/growth', name);
  const [command, ...args] = onServerCpu(process.execPath, '--expose-gc', script, ...more);
  return execFileSync(command, args, { encoding: 'utf8' });
}

/** What the counters do with more accounts than they keep. */
export const manyAccounts = () => run('many-accounts.js');

/** Measures the counters in a separate process for each number of accounts. */
export function admissionGrowth(): string {
  const rows = ACCOUNTS.map((accounts) => {
    const cost = JSON.parse(run('admission-cost.js', String(accounts))) as AdmissionCost;
    return [whole(accounts), whole(cost.nanosecondsPerCall), accounts < 1_000 ? '–' : whole(cost.bytesPerAccount)];
  });
  return table(['accounts', 'ns per admission', 'bytes per account'], rows);
}
