import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { environment } from '../package/packing.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { outputOf } from '../support/run.js';
import { untilUp } from '../support/servers/server-process.js';
import { isReady } from '../support/service-process.js';
import { makeFolder } from '../support/temporary.js';
import { HOME } from './pages.js';

const STOP_DEADLINE_MS = 60_000;
const COPIED = [
  'src',
  'dist',
  'package.json',
  'ormconfig.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  '.npmrc',
  '.runtime',
  '.env.example',
  '.githooks',
  'docker',
  'tools',
  'docs',
  '.oxlintrc.json',
  '.prettierignore',
];

export interface Result {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

export interface Running {
  readonly output: () => string;
  /** Sends SIGTERM to the process, as a supervisor does. Resolves when nothing listens on the port any more. */
  stop(): Promise<void>;
}

/**
 * A copy of the project, in which commands can write files, like the copy of a reader of the manual. It keeps the file
 * times, so that the build counts as up to date.
 */
export class Workspace {
  readonly folder = makeFolder();

  /** @param more files and folders that are copied too */
  constructor(...more: readonly string[]) {
    execFileSync('cp', ['-a', '--parents', ...COPIED, ...more, this.folder], { cwd: HOME });
    symlinkSync(join(HOME, 'node_modules'), join(this.folder, 'node_modules'));
    // curl fails on an error status, because the manual's commands must succeed.
    this.write('.curlrc', 'fail-with-body\nsilent\nshow-error\nmax-time = 20\n');
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  run(command: string, env: Record<string, string> = {}): Promise<Result> {
    const { child, output } = this.spawn(command, env);
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output() })));
  }

  /** Runs a shell command that starts the service. Resolves when the service is ready on this port. */
  async start(command: string, port: number, env: Record<string, string> = {}): Promise<Running> {
    // Replace the shell with the command, so that signals reach the process that a user would signal.
    const inPlace = command.replace(/(?:\w+=\S+ )*npm [^;]*$/, 'exec env $&');
    const { child, output } = this.spawn(inPlace, { ...env, PORT: String(port) });
    await untilUp(child, () => isReady(`http://127.0.0.1:${port}`), INSTALL_LIMIT_MS);
    return { output, stop: () => stop(child, port) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(command: string, env: Record<string, string>) {
    const child = spawn('bash', ['-c', command], {
      cwd: this.folder,
      env: environment({ CURL_HOME: this.folder, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { child, output: outputOf(child.stdout, child.stderr) };
  }
}

async function stop(child: ChildProcess, port: number): Promise<void> {
  if (child.exitCode !== null) throw new Error('The service has ended by itself.');
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  // The pipes close when no process that can write to them is left.
  const ended = await Promise.race([closed.then(() => true), delay(STOP_DEADLINE_MS, false, { ref: false })]);
  if (!ended || (await isReady(`http://127.0.0.1:${port}`))) throw new Error('The service goes on after SIGTERM.');
}
