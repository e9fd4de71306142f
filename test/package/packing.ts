import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const HOME = join(import.meta.dirname, '../..');

/** As the manual says. `npm pack` alone does not build, because of `.npmrc`. */
export const PACK = 'npm run built && npm pack';

type Versions = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly peerDependencies?: Versions;
}

/** Packs the service into a folder. @returns the name of the file */
export function pack(folder: string): string {
  const args = ['-c', `${PACK} --silent --pack-destination "$0"`, folder];
  const output = execFileSync('bash', args, { cwd: HOME, encoding: 'utf8', env: environment({}), stdio: 'pipe' });
  return output.trim().split('\n').at(-1) ?? '';
}

/** Without the variables that npm sets for the scripts of our package, and with our Node before others. */
export function environment(more: Versions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|DATABASE_URL$|PORT$)/i.test(name),
  );
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return { ...Object.fromEntries(inherited), PATH: path, ...more };
}

/**
 * Our lockfile with another root package, and our package in place of its source. So npm installs the versions that are in
 * its cache; it removes what is not needed.
 */
export function lockfileOf(root: Manifest, tarball: string): object {
  const ours = read<{ lockfileVersion: number; packages: Record<string, object> }>(join(HOME, 'package-lock.json'));
  const { name: _, devDependencies: __, ...service } = read<Manifest>(join(HOME, 'package.json'));
  return {
    ...ours,
    name: root.name,
    version: root.version,
    packages: {
      ...ours.packages,
      '': root,
      'node_modules/petstore-service': { ...service, resolved: `file:${tarball}` },
    },
  };
}

export function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
