import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [first = 0, second] = allowedCpus();

/** The service has one CPU, the load generator another, so that neither takes time from the other. */
const SERVER_CPU = first;
const LOAD_CPU = second ?? first;

/** Whether there is only one, so that figures say little. */
export const SHARED_CPU = second === undefined;

/** A command line that keeps a contender on its CPU. */
export function onServerCpu(...command: string[]): [string, ...string[]] {
  return ['taskset', '-c', String(SERVER_CPU), ...command];
}

/** A command line that keeps the load generator on its CPU. */
export function onLoadCpu(...command: string[]): [string, ...string[]] {
  return ['taskset', '-c', String(LOAD_CPU), ...command];
}

/** Keeps the main thread on the CPU of the load generator, and whatever it starts from now on without saying where. */
export function stayOnLoadCpu(): void {
  // Not all threads (`-a`): that fails where one of them ends meanwhile.
  execFileSync('taskset', ['-cp', String(LOAD_CPU), String(process.pid)]);
}

/** From a list such as `0-3,8` (proc_pid_status(5)). */
function allowedCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
