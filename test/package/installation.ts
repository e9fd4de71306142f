import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/servers/free-port.js';
import { isReady } from '../support/service-process.js';
import { until } from '../support/until.js';
import { environment, lockfileOf, type Manifest, npm, pack, read, type Versions } from './packing.js';

/** The package of the reviews in a folder of its own, with the service installed from a tarball. */
export class Installation {
  private readonly folder = mkdtempSync(join(tmpdir(), 'petstore-package-'));
  /** Where the service is installed. */
  readonly serviceHome = join(this.folder, 'node_modules/petstore-service');

  /** Packs the service, and installs it with the versions of our lockfile. */
  install(): void {
    cpSync(join(import.meta.dirname, 'reviews'), this.folder, { recursive: true });
    const tarball = pack(this.folder);
    const { peerDependencies, ...reviews } = read<Manifest>(join(this.folder, 'package.json'));
    const manifest = { ...reviews, dependencies: { ...peerDependencies, 'petstore-service': `file:${tarball}` } };
    write(join(this.folder, 'package.json'), manifest);
    write(join(this.folder, 'package-lock.json'), lockfileOf(manifest, tarball));
    this.npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent']);
  }

  /** Runs an npm command, and returns what it prints; fails if the command fails. */
  npm(args: readonly string[], env: Versions = {}): string {
    return npm(args, this.folder, env);
  }

  /** Starts the service with the reviews, and ends it after `work`. */
  async whileRunning<T>(env: Versions, work: (origin: string) => Promise<T>): Promise<T> {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: this.folder,
      env: environment({ ...env, HOST: '127.0.0.1', PORT: String(port) }),
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    try {
      await until(() => isReady(origin));
      return await work(origin);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function write(path: string, value: object): void {
  writeFileSync(path, JSON.stringify(value, null, 2));
}
