import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../support/app.js';
import { run } from '../support/run.js';

const hasPython = spawnSync('python3', ['-c', 'from typing import Unpack']).status === 0;

/** The options of the compiler with which generated clients must compile. */
export const STRICT = {
  compilerOptions: {
    strict: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  },
};

export const CLIENTS = [
  { language: 'ts', program: process.execPath },
  ...(hasPython ? [{ language: 'py', program: 'python3' }] : []),
];

/** Puts the clients of a service into a folder, with programs that use them. */
export async function writeClients(service: TestApp, folder: string, programs: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const { language } of CLIENTS) {
    const response = await service.request(`/docs/client.${language}`);
    writeFileSync(join(folder, `client.${language}`), await response.text());
    for (const name of programs)
      copyFileSync(join(import.meta.dirname, 'client', `${name}.${language}`), join(folder, `${name}.${language}`));
  }
}

/** A call of a method of the client, whose options come last. */
export interface Call {
  readonly name: string;
  readonly given?: readonly unknown[];
  /** Parameters by name: an object in TypeScript, keyword arguments in Python. */
  readonly query?: object;
  readonly options?: object;
  /** What the caller writes into the body after the call. */
  readonly later?: object;
}

/** What came of each call, `ApiError` or not, and how long the client waited before a request. */
interface Calls {
  readonly results: readonly unknown[];
  readonly waits: readonly number[];
}

/** Makes calls one after the other, with the program `calls`. Its waits take no time. */
export async function call(
  { language, program }: (typeof CLIENTS)[number],
  folder: string,
  baseUrl: string,
  key: string,
  calls: readonly Call[],
): Promise<Calls> {
  const args = [join(folder, `calls.${language}`), baseUrl, key, JSON.stringify(calls)];
  return JSON.parse(await run(program, args, { cwd: folder })) as Calls;
}
