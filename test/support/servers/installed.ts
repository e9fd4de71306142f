import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's folder of PostgreSQL's programs, by version, which is not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';

export type ServerProgram = 'postgres' | 'redis-server';

/** Whether a server is installed. Adds PostgreSQL's programs to the PATH. */
export function isInstalled(program: ServerProgram): boolean {
  if (program === 'postgres') addPostgresToPath();
  return foldersOnPath().some((folder) => existsSync(join(folder, program)));
}

function addPostgresToPath(): void {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = foldersOnPath();
  const found = [...folders, ...versions.map((version) => join(DEBIAN, version, 'bin'))].find((folder) =>
    existsSync(join(folder, 'initdb')),
  );
  if (found !== undefined && !folders.includes(found)) process.env['PATH'] = [found, ...folders].join(delimiter);
}

function foldersOnPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter);
}
