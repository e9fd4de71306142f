import { CommanderError } from 'commander';
import { type KeysCommand, keysProgram } from '../accounts/cli/keys-program.js';
import type { ProgramIo } from './run-keys-command.js';

/** Runs a command line of `keys`. `changed` is whether running services may still have an older state. */
export async function runKeys(args: readonly string[], io: ProgramIo): Promise<{ exitCode: number; changed: boolean }> {
  let exitCode = 2;
  try {
    const chosen = parse(args, io);
    exitCode = 1;
    if (chosen === undefined) return { exitCode: 0, changed: false };
    // The service is loaded when a command runs: help and invalid arguments need none of it.
    const { runKeysCommand } = await import('./run-keys-command.js');
    return { exitCode: 0, changed: await runKeysCommand(chosen, io) };
  } catch (error) {
    // A key may have been given instead of its id, and terminals are recorded.
    const message = (error instanceof Error ? error.message : String(error)).replaceAll(
      /psk_(?:live|test)_\w+/g,
      'psk_…',
    );
    io.stderr.write(`${message}\n`);
    return { exitCode, changed: false };
  }
}

/** Undefined if the arguments ask for help. @throws Error if they are invalid */
function parse(args: readonly string[], { stdout }: ProgramIo): KeysCommand | undefined {
  let parsed: KeysCommand | undefined;
  const program = keysProgram(
    (command) => (parsed = command),
    (text) => stdout.write(text),
  );
  try {
    if (args.length === 0) program.error('error: missing command');
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return parsed;
}
