import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian has PostgreSQL's programs, by version, beside the PATH. */
const DEBIAN = '/usr/lib/postgresql';

const onPath = () => process.env.PATH.split(delimiter);

function postgresFolder() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...onPath(), ...versions.map((version) => join(DEBIAN, version, 'bin'))].find((folder) => existsSync(join(folder, 'initdb')));
}

/** Leaves every test of a project out. */
export const EVERYTHING = ['/'];

/**
 * Whether the servers are installed that tests start. Where one is not, the tests are left out, which is said; in CI
 * nothing may be left out.
 * @param {string} tests what would be left out
 * @param {('postgres' | 'redis-server')[]} programs
 */
export function areInstalled(tests, programs) {
  const postgres = postgresFolder();
  // The tests find it on the PATH, as they do the rest.
  if (postgres !== undefined) process.env.PATH = `${postgres}${delimiter}${process.env.PATH}`;
  const missing = programs.filter((program) => !onPath().some((folder) => existsSync(join(folder, program))));
  if (missing.length === 0) return true;
  const words = `${tests} need ${missing.join(' and ')}, not installed here.`;
  if (process.env.CI !== undefined) throw new Error(words);
  process.stderr.write(`Left out: ${words}\n`);
  return false;
}
