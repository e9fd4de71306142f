import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../support/servers/free-port.js';
import { isReady } from '../support/service-process.js';
import { until } from '../support/until.js';

const HOME = join(import.meta.dirname, '../..');
/** Relative to the folder of an installation. */
const TARBALL = 'file:petstore-service.tgz';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly peerDependencies?: Versions;
}

/** The package of the reviews in a folder of its own, with the service installed from a tarball. */
export class Installation {
  private readonly folder = mkdtempSync(join(tmpdir(), 'petstore-package-'));
  /** Where the service is installed. */
  readonly serviceHome = join(this.folder, 'node_modules/petstore-service');

  /** Packs the service, and installs it with the versions of our lockfile, which are in npm's cache. */
  install(): void {
    cpSync(join(import.meta.dirname, 'reviews'), this.folder, { recursive: true });
    const [packed = ''] = this.npm(['pack', '--silent', '--pack-destination', this.folder], HOME).trim().split('\n');
    cpSync(join(this.folder, packed), join(this.folder, 'petstore-service.tgz'));
    const { peerDependencies, ...reviews } = read<Manifest>(join(this.folder, 'package.json'));
    const manifest = { ...reviews, dependencies: { ...peerDependencies, 'petstore-service': TARBALL } };
    write(join(this.folder, 'package.json'), manifest);
    write(join(this.folder, 'package-lock.json'), lockfileOf(manifest));
    this.npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent']);
  }

  /** Runs an npm command, and returns what it prints; fails if the command fails. */
  npm(args: readonly string[], cwd = this.folder, env: Versions = {}): string {
    return execFileSync('npm', args, { cwd, encoding: 'utf8', env: this.env(env), stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Starts the service with the reviews, and ends it after `work`. */
  async whileRunning<T>(env: Versions, work: (origin: string) => Promise<T>): Promise<T> {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: this.folder,
      env: this.env({ ...env, HOST: '127.0.0.1', PORT: String(port) }),
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

  /** Without the variables that npm sets for the scripts of our package, and with our Node before others. */
  private env(more: Versions): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_OPTIONS$|DATABASE_URL$)/i.test(name),
    );
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    return { ...Object.fromEntries(inherited), PATH: path, ...more };
  }
}

/** Our lockfile with another root package, and our package in place of its source. npm removes what is not needed. */
function lockfileOf(root: Manifest): object {
  const ours = read<{ lockfileVersion: number; packages: Record<string, object> }>(join(HOME, 'package-lock.json'));
  const { name: _, devDependencies: __, ...service } = read<Manifest>(join(HOME, 'package.json'));
  return {
    ...ours,
    name: root.name,
    version: root.version,
    packages: {
      ...ours.packages,
      '': root,
      'node_modules/petstore-service': { ...service, resolved: TARBALL },
    },
  };
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

function write(path: string, value: object): void {
  writeFileSync(path, JSON.stringify(value, null, 2));
}
