import { execFile } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** Runs a program. @returns what it prints @throws (rejects) Error with all its output if it fails */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, options).catch(
    (failure: { stdout: string; stderr: string }) => Promise.reject(new Error(`${failure.stdout}${failure.stderr}`)),
  );
  return stdout;
}

/** What streams of a process have given since the call, as it came. */
export function outputOf(...streams: readonly (Readable | null)[]): () => string {
  let text = '';
  for (const stream of streams) stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}
