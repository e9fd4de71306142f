import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../support/run.js';
import { freePort } from '../support/servers/free-port.js';
import { untilUp } from '../support/servers/server-process.js';
import { isReady } from '../support/service-process.js';

/** A shell command that succeeds where images can be built. */
export const BUILDER = 'test "$(id -u)" = 0 && command -v buildah && command -v debootstrap';

interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
}

const PACKAGE = /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

interface Component extends Bill {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

interface Bill {
  readonly components?: readonly Component[];
}

function distinct(components: readonly Component[]): string[] {
  const names = components.map(
    ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`,
  );
  return [...new Set(names)].toSorted();
}

/** The image as a container engine would see it: a file system and a configuration. */
export class BuiltImage {
  private constructor(
    private readonly folder: string,
    readonly config: ImageConfig,
  ) {}

  /** @param context a folder with a Dockerfile of its own. Default: the image of the service */
  static build(folder: string, ...context: readonly string[]): BuiltImage {
    execFileSync('bash', [join(import.meta.dirname, 'build-image.sh'), folder, ...context], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { Docker } = JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8')) as {
      Docker: { config: ImageConfig };
    };
    return new BuiltImage(folder, Docker.config);
  }

  async run(env: Readonly<Record<string, string>> = {}): Promise<Container> {
    const port = await freePort();
    const data = join(this.folder, `data-${port}`);
    mkdirSync(data);
    const passwords = readFileSync(join(this.folder, 'root/etc/passwd'), 'utf8');
    const [, uid, gid] = new RegExp(`^${this.config.User}:x:([0-9]+):([0-9]+):`, 'm').exec(passwords) ?? [];
    chownSync(data, Number(uid), Number(gid));
    const container = new Container(this, port, data, env);
    await untilUp(container.child, () => isReady(container.origin));
    return container;
  }

  /** Runs a command in a container without the service. Returns its output. */
  exec(env: Readonly<Record<string, string>>, ...command: readonly string[]): string {
    return execFileSync('bash', this.words(this.folder, env, command), { encoding: 'utf8', stdio: 'pipe' });
  }

  /** A file in the working directory. */
  text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** The files below the working directory that match one of the patterns. */
  files(...patterns: readonly string[]): string[] {
    return globSync(patterns.map((pattern) => this.path(`**/${pattern}`)));
  }

  /** The packages below node_modules, as name@version in alphabetical order. */
  packages(): string[] {
    const found = globSync(this.path('node_modules/**/package.json')).filter((path) => PACKAGE.test(path));
    return distinct(found.map((path) => JSON.parse(readFileSync(path, 'utf8')) as Component));
  }

  /** The packages of Debian, as name@version in alphabetical order. */
  systemPackages(): string[] {
    const status = readFileSync(join(this.folder, 'root/var/lib/dpkg/status'), 'utf8');
    const found = status.matchAll(/^Package: (.+)\n(?:.+\n)*?Version: (.+)$/gm);
    return distinct([...found].map(([, name = '', version = '']) => ({ name, version })));
  }

  /** The packages of a type in the bill of materials (CycloneDX), such as `npm`. */
  listedPackages(type: string): string[] {
    const all = ({ components = [] }: Bill): Component[] => components.flatMap((one) => [one, ...all(one)]);
    const listed = all(JSON.parse(this.text('sbom.json')) as Bill);
    return distinct(listed.filter(({ purl }) => purl?.startsWith(`pkg:${type}/`)));
  }

  /** Whether there is a file at an absolute path of the image. */
  has(path: string): boolean {
    return existsSync(join(this.folder, 'root', path));
  }

  private path(name: string): string {
    return join(this.folder, 'root', this.config.WorkingDir, name);
  }

  words(data: string, env: Readonly<Record<string, string>>, command: readonly string[]): string[] {
    const { User, WorkingDir, Env, Volumes } = this.config;
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const script = join(import.meta.dirname, 'run-image.sh');
    return [
      script,
      join(this.folder, 'root'),
      User,
      WorkingDir,
      ...Object.keys(Volumes),
      data,
      ...Env,
      ...settings,
      ...command,
    ];
  }
}

/** Runs the image's command on a read-only file system with one volume, in the host network. */
export class Container {
  readonly origin: string;
  readonly child;
  readonly output: () => string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly ended: Promise<number | null>;

  constructor(
    private readonly image: BuiltImage,
    port: number,
    readonly data: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.origin = `http://127.0.0.1:${port}`;
    this.env = { PORT: String(port), ...env };
    this.child = spawn('bash', image.words(data, this.env, image.config.Cmd), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = once(this.child, 'close').then(([code]: (number | null)[]) => code ?? null);
    this.output = outputOf(this.child.stdout, this.child.stderr);
  }

  /** Runs another command in the container, with the same settings and volume. Returns its output. */
  exec(...command: readonly string[]): string {
    return execFileSync('bash', this.image.words(this.data, this.env, command), { encoding: 'utf8' });
  }

  uid(): number {
    return Number(/^Uid:\s+([0-9]+)/m.exec(readFileSync(`/proc/${this.pid()}/status`, 'utf8'))?.[1]);
  }

  /** @returns the exit code */
  stop(): Promise<number | null> {
    if (this.child.exitCode === null) process.kill(this.pid(), 'SIGTERM');
    return this.ended;
  }

  /** `unshare` waits for the command, its only child, and ignores signals. */
  private pid(): number {
    return Number(readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, 'utf8'));
  }
}
