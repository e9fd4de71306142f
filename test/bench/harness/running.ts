import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/servers/free-port.js';
import { BUILT } from './build.js';
import type { Contender } from './contenders.js';
import { onServerCpu } from './cpus.js';
import { NO_LIMIT, type Seed } from './seed.js';

/** Bounds a hang only: on a busy machine all contenders start at once. */
const START_WAIT_MS = 120_000;
/** Clock ticks of /proc/PID/stat (proc_pid_stat(5)); the same on all common Linux systems. */
const TICKS_PER_SECOND = 100;

export type Running = Awaited<ReturnType<typeof start>>;

/**
 * Starts a contender on its CPU, with a copy of the database of its own. Resolves when it serves requests.
 * @param answers file with the prepared responses, for a contender that sends constants
 */
export async function start({ file, env }: Contender, seed: Seed, answers = '', nodeOptions: readonly string[] = []) {
  const [port, place] = [await freePort(), await seed.copy()];
  const [command, ...args] = onServerCpu(resolve(BUILT, file));
  const child = spawn(command, args, {
    env: {
      // The first line of each file names the program that runs it, and its options.
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_OPTIONS: nodeOptions.join(' '),
      HOST: '127.0.0.1',
      PORT: String(port),
      ...place.env,
      ...env,
      ANONYMOUS_PER_MINUTE: NO_LIMIT,
      ANONYMOUS_PER_DAY: NO_LIMIT,
      NODE_ENV: 'production',
      BENCH_ANSWERS: answers,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilItAnswers(child, port, file);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    /** Peak resident memory so far. */
    peakMemoryMiB: () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    /** CPU time of all threads of the process so far. */
    cpuSeconds: () => cpuTicks(child.pid) / TICKS_PER_SECOND,
    /** Stops it, and removes its database. */
    async stop(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      await place.remove();
    },
  };
}

async function untilItAnswers(child: ChildProcess, port: number, file: string): Promise<void> {
  const deadlineMs = performance.now() + START_WAIT_MS;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/v1/pets`);
      return;
    } catch {
      if (child.exitCode !== null || performance.now() > deadlineMs) {
        child.kill('SIGKILL');
        throw new Error(`${file} did not start.`);
      }
      await delay(5);
    }
  }
}

function cpuTicks(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name before these fields may contain spaces. User and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
