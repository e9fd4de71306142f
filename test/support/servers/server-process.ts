import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A start takes a second, but longer if ten services start at once on two busy cores. */
const START_LIMIT_MS = 240_000;

/**
 * Waits until a server answers that has just been started, and kills one that does not.
 * @param ask rejects, or returns `false`, as long as the server is not up
 */
export async function untilUp(
  server: ChildProcess,
  ask: () => Promise<unknown>,
  limitMs = START_LIMIT_MS,
): Promise<void> {
  let log = '';
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (log = `${log}${text}`.slice(-10_000)));
  const deadlineMs = performance.now() + limitMs;
  for (;;) {
    const failure: unknown = await ask().then(
      (answer) => answer === false && 'not yet',
      (error: unknown) => error,
    );
    if (failure === false) return;
    if (server.exitCode !== null || performance.now() > deadlineMs) {
      server.kill('SIGKILL');
      throw new Error(`The server did not start:\n${log}`, { cause: failure });
    }
    await delay(20);
  }
}

/**
 * Sends a signal to a process and its children (Linux). A process group does not work, because each backend of PostgreSQL
 * has its own.
 */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  // A stopped parent creates no more children, and does not notice that they end.
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const child of children) send(child, signal);
  send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A child may have ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
