import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { BUILT } from '../harness/build.js';
import { onServerCpu } from '../harness/cpus.js';
import { table, whole } from '../harness/table.js';
import type { AdmissionCost } from './admission-cost.js';

const ACCOUNTS = [10, 1_000_000];

const scriptOf = (name: string) => join(BUILT, 'test/bench/growth', name);

/** What the counters do with more accounts than they keep. */
export function manyAccounts(): string {
  const [command, ...args] = onServerCpu(process.execPath, '--expose-gc', scriptOf('many-accounts.js'));
  return execFileSync(command, args, { encoding: 'utf8' });
}

/** Measures the counters in a separate process for each number of accounts. */
export function admissionGrowth(): string {
  const rows = ACCOUNTS.map((accounts) => {
    const [command, ...args] = onServerCpu(
      process.execPath,
      '--expose-gc',
      scriptOf('admission-cost.js'),
      String(accounts),
    );
    const output = execFileSync(command, args, { encoding: 'utf8' });
    const { nanosecondsPerCall, bytesPerAccount } = JSON.parse(output) as AdmissionCost;
    return [whole(accounts), whole(nanosecondsPerCall), accounts < 1_000 ? '–' : whole(bytesPerAccount)];
  });
  return table(['accounts', 'ns per admission', 'bytes per account'], rows);
}
