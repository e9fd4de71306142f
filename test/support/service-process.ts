import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const BUILT = join(import.meta.dirname, '../../dist/src');
/** A start takes a second, but longer if ten services start at once on two busy cores. */
const START_WAIT_MS = 240_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  /** The program, an absolute path. Default: the main file of the service. */
  readonly file?: string;
  /** Working directory. The embedded default stores its data below it. */
  readonly folder: string;
  /** The complete environment of the process, except for PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor for standard output, for tests that read it themselves or leave it unread. */
  readonly stdout?: number | undefined;
}

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;

/** Starts the built service as a separate process, on a port that the system chooses. Resolves when it is ready. */
export async function startProcess({ file = 'main.js', folder, env = {}, stdout }: ProcessOptions) {
  const { child, ended, output } = run(file, [], { folder, stdout, env: { HOST: '127.0.0.1', PORT: '0', ...env } });
  const isLogged = stdout === undefined && !/^(silent|warn)$/.test(env['LOG_LEVEL'] ?? '');
  const portNow = () => (isLogged ? loggedPort(output()) : listeningPort(child.pid));
  const deadlineMs = performance.now() + START_WAIT_MS;
  let port = portNow();
  while (port === undefined || !(await isReady(`http://127.0.0.1:${port}`))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`The service did not start: ${output()}`);
    }
    await delay(20);
    port = portNow();
  }
  const origin = `http://127.0.0.1:${port}`;
  return {
    port,
    origin,
    /** Standard output and standard error so far, interleaved as received. */
    output,
    /** Resolves when the process has exited. */
    ended,
    /** Sends a signal and waits until the process has exited. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
      child.kill(signal);
      return ended;
    },
    signal(signal: NodeJS.Signals): void {
      child.kill(signal);
    },
  };
}

/**
 * Runs the built service, or another program, until it exits.
 * @param terminateAfter when to send the signal
 */
export async function runMain(
  options: ProcessOptions,
  terminateAfter?: () => Promise<unknown>,
  [file, signal]: readonly [string, NodeJS.Signals] = ['main.js', 'SIGTERM'],
): Promise<Ended> {
  const { child, ended } = run(file, [], options);
  if (terminateAfter !== undefined) {
    await terminateAfter();
    child.kill(signal);
  }
  return ended;
}

export function runProgram(file: string, args: readonly string[], options: ProcessOptions): Promise<Ended> {
  return run(file, args, options).ended;
}

function run(file: string, args: readonly string[], { folder, env = {}, stdout: target }: ProcessOptions) {
  const path = resolve(BUILT, file);
  if (!existsSync(path)) throw new Error(`${path} is not there: build first.`);
  const child: ChildProcess = spawn(path, args, {
    cwd: folder,
    // The first line of the file names the program that runs it, and its options.
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

/** The port that a service logs when it listens, as JSON or for people. */
function loggedPort(output: string): number | undefined {
  const port = /listening"?,?\s*"?address"?: ?"http:\/\/[^"]*:(\d+)"/.exec(output)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** The port of a process that shows no log, from what Linux knows of its sockets. */
function listeningPort(pid = 0): number | undefined {
  const inodes = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1];
    } catch {
      return undefined;
    }
  });
  const sockets = new Set(inodes);
  // Columns: number, local address, remote address, state (0A: listening), and the inode as the tenth.
  const lines = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').split('\n'));
  const found = lines
    .map((line) => line.trim().split(/\s+/))
    .find((cells) => cells[3] === '0A' && sockets.has(cells[9]));
  return found === undefined ? undefined : parseInt(found[1]?.split(':')[1] ?? '', 16);
}

export async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch {
    return false;
  }
}
