import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/testing/free-port.js';

const BUILT = join(import.meta.dirname, '../../dist/src');
/** A start takes a second; ten services that start at once on two busy cores take longer. */
const START_WAIT_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  /** Working directory; the embedded default has its data below it. */
  readonly folder: string;
  /** All that the process has of an environment, besides the path. */
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor to write standard output to, for tests that read it themselves, or don't. */
  readonly stdout?: number | undefined;
}

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;

/** The built service as a process of its own, ready to serve. */
export async function startProcess({ folder, env = {}, stdout }: ProcessOptions) {
  const port = await freePort();
  const { child, ended, output } = run('main.js', [], {
    folder,
    stdout,
    env: { HOST: '127.0.0.1', PORT: String(port), ...env },
  });
  const origin = `http://127.0.0.1:${port}`;
  const deadlineMs = performance.now() + START_WAIT_MS;
  while (!(await isReady(origin))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`The service did not start: ${output()}`);
    }
    await delay(20);
  }
  return {
    port,
    origin,
    /** Standard output and standard error so far, in the order in which they came. */
    output,
    /** Fulfilled once the process is gone. */
    ended,
    /** Sends a signal and waits until the process is gone. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
      child.kill(signal);
      return ended;
    },
    signal(signal: NodeJS.Signals): void {
      child.kill(signal);
    },
  };
}

/** Runs the built service until it ends by itself. */
export function runMain(options: ProcessOptions): Promise<Ended> {
  return run('main.js', [], options).ended;
}

/** Runs the built keys command line. */
export function runKeys(args: readonly string[], options: ProcessOptions): Promise<Ended> {
  return run('cli/keys.cli.js', args, options).ended;
}

/** Runs the built command line that recounts pets. */
export function runRecount(options: ProcessOptions): Promise<Ended> {
  return run('cli/recount.cli.js', [], options).ended;
}

function run(file: string, args: readonly string[], { folder, env = {}, stdout: target }: ProcessOptions) {
  const path = join(BUILT, file);
  if (!existsSync(path)) throw new Error(`${path} is not there: build first.`);
  const child: ChildProcess = spawn(path, args, {
    cwd: folder,
    // Its first line names the program that runs it, and that one's options.
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...env },
    stdio: ['ignore', target ?? 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let both = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    both += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    both += text;
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, stdout, stderr }) as Ended);
  return { child, ended, output: () => both };
}

/** Whether a service is there and ready to serve. */
export async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch {
    return false;
  }
}
