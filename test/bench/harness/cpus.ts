import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [first = 0, second] = allowedCpus();

/** The service and the load generator use different CPUs, so that neither slows down the other. */
const SERVER_CPU = first;
const LOAD_CPU = second ?? first;

/** True if there is only one CPU, which makes the results unreliable. */
export const SHARED_CPU = second === undefined;

/** A command line that pins a contender to its CPU. */
export function onServerCpu(...command: string[]): [string, ...string[]] {
  return ['taskset', '-c', String(SERVER_CPU), ...command];
}

/** A command line that pins the load generator to its CPU. */
export function onLoadCpu(...command: string[]): [string, ...string[]] {
  return ['taskset', '-c', String(LOAD_CPU), ...command];
}

/** Pins the main thread, and the processes it starts from now on, to the CPU of the load generator. */
export function stayOnLoadCpu(): void {
  // Without `-a` (all threads), because that fails if a thread ends meanwhile.
  execFileSync('taskset', ['-cp', String(LOAD_CPU), String(process.pid)]);
}

/** Parses a list such as `0-3,8` (proc_pid_status(5)). */
function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
