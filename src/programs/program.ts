import { pipeline } from 'node:stream/promises';
import { type Command, CommanderError } from 'commander';
import { escaped } from '../accounts/cli/keys-output.js';

/** Where a program reads from and writes to: those of a process, or of a test. */
export interface ProgramIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** Calls the action of a command line, unless it asks for help. @throws Error if it is invalid */
export function parse(program: Command, args: readonly string[]): void {
  try {
    if (args.length === 0) program.error('error: missing command; --help lists them');
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
}

/** Writes the result of a command. Fulfilled when it is written. */
export function print(text: string | AsyncIterable<string>, { stdout }: ProgramIo): Promise<void> {
  const lines = async function* () {
    if (typeof text === 'string') yield `${escaped(text)}\n`;
    else {
      for await (const part of text) yield escaped(part);
      yield '\n';
    }
  };
  return pipeline(lines, stdout, { end: false });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
