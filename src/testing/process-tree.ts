import { readFileSync } from 'node:fs';

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
