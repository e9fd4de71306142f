import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { outputOf } from './run.js';
import { untilUp } from './servers/server-process.js';

const BUILT = join(import.meta.dirname, '../../dist/src');

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
  let port = 0;
  await untilUp(child, async () => {
    port = isLogged ? loggedPort(output()) : listeningPort(child.pid);
    return port > 0 && isReady(`http://127.0.0.1:${port}`);
  });
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
 * Runs the built service, or another program of it, until it exits.
 * @param end sends it a signal, if it is to get one
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
  end?: (kill: (signal: NodeJS.Signals) => void) => Promise<void>,
): Promise<Ended> {
  const { child, ended } = run(file, args, options);
  await end?.((signal) => child.kill(signal));
  return ended;
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
  const [out, err] = [outputOf(child.stdout), outputOf(child.stderr)];
  const ended = once(child, 'close').then(
    ([code, signal]) => ({ code, signal, stdout: out(), stderr: err() }) as Ended,
  );
  return { child, ended, output: outputOf(child.stdout, child.stderr) };
}

/** The port that a service logs when it listens, as JSON or for people; 0 before. */
function loggedPort(output: string): number {
  return Number(/listening"?,?\s*"?address"?: ?"http:\/\/[^"]*:(\d+)"/.exec(output)?.[1] ?? 0);
}

/** The same of a process that shows no log, from what Linux knows of its sockets. */
function listeningPort(pid = 0): number {
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
  return parseInt(found?.[1]?.split(':')[1] ?? '0', 16);
}

export async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health/ready`)).ok;
  } catch {
    return false;
  }
}
