import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '../support/run.js';
import { isReady } from '../support/service-process.js';
import { makeFolder } from '../support/temporary.js';
import { until } from '../support/until.js';
import { environment, lockfileOf, type Manifest, pack, read } from './packing.js';

/** Installs from npm's cache what it has, and prints what can be compared. */
const SETTINGS = { npm_config_prefer_offline: 'true', npm_config_fund: 'false', NO_COLOR: '1' };

export interface Started {
  readonly output: () => string;
  stop(): Promise<void>;
}

/** A folder with the packed service, in which commands run one after the other as in a terminal. */
export class EmptyFolder {
  private readonly home = makeFolder();
  private readonly variables: Record<string, string> = {};
  readonly tarball = pack(this.home);
  folder = this.home;

  constructor() {
    // As the commands of the manual must succeed.
    this.write('.curlrc', 'fail-with-body\nsilent\nshow-error\n');
  }

  /** Changes a file as a reader of the page does. */
  edit(path: string, change: (text: string) => string): void {
    this.write(path, change(readFileSync(join(this.folder, path), 'utf8')));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  set(name: string, value: string): void {
    this.variables[name] = value;
  }

  /** Lets npm install the versions of our lockfile, which are in its cache. */
  lock(): void {
    const manifest = read<Manifest>(join(this.folder, 'package.json'));
    this.write('package-lock.json', JSON.stringify(lockfileOf(manifest, this.tarball)));
  }

  /** @returns the output @throws (rejects) Error if it ends with another code than it should */
  async run(command: string, expected = 0): Promise<string> {
    const [, below] = /^cd (\S+)$/.exec(command) ?? [];
    if (below !== undefined) {
      this.folder = resolve(this.folder, below);
      return '';
    }
    const { child, output } = this.spawn(command);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== expected) throw new Error(`${command} ended with ${code}:\n${output()}`);
    return output();
  }

  /** Runs a command that does not end, until it is stopped. */
  start(command: string, env: Readonly<Record<string, string>> = {}): Started {
    const { child, output } = this.spawn(command, env);
    const ended = once(child, 'close');
    return {
      output,
      stop: async () => {
        // As Ctrl+C in a terminal: to all processes of the command.
        process.kill(-Number(child.pid), 'SIGINT');
        await ended;
      },
    };
  }

  /** The same, for one that starts the service. Resolves when it is ready. */
  async serve(command: string, port: number): Promise<Started> {
    const started = this.start(command, { PORT: String(port) });
    await until(() => isReady(`http://127.0.0.1:${port}`));
    return started;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  private spawn(command: string, env: Readonly<Record<string, string>> = {}) {
    const child = spawn('bash', ['-c', command], {
      cwd: this.folder,
      env: environment({ ...SETTINGS, CURL_HOME: this.home, ...this.variables, ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    return { child, output: outputOf(child.stdout, child.stderr) };
  }
}
