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
  const missing = 'error: missing command; --help lists the commands';
  try {
    if (args.length === 0) program.error(missing);
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    // Of a command that has commands, Commander only says that it would print its help.
    throw error.code === 'commander.help' ? new Error(missing, { cause: error }) : error;
  }
}

/** How the user starts a program: as a script of the repository, or as one of the package. @param script such as `keys` */
export function commandName(script: string, { env }: Pick<ProgramIo, 'env'>): string {
  return env['npm_lifecycle_event'] === script ? `npm run --silent ${script} --` : `petstore-${script}`;
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
