import { Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import { runKeys } from '../../src/programs/run-keys.js';
import { databaseUrl } from './databases.js';
import { service } from './folders.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings and streams for a program that runs in this process, and what it wrote. @param input that it can read */
export function programIo(env: Readonly<Record<string, string>>, input = '') {
  const written = { stdout: '', stderr: '' };
  const streamOf = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
  return {
    io: { env, stdin: Readable.from([input]), stdout: streamOf('stdout'), stderr: streamOf('stderr') },
    ran: (code: number): Ran => ({ code, ...written }),
  };
}

/** Runs a command line of `keys` in this process, by default on the database of the shared service. */
export async function keysOn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  const { io, ran } = programIo(env);
  return ran((await runKeys(args, io)).exitCode);
}

export const keys = (...args: string[]): Promise<Ran> => keysOn({ DATABASE_URL: databaseUrl(service.folder) }, ...args);

/** What a command prints for programs: one line. */
export async function keysJson<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await keys(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as T;
}
