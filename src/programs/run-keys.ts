import type { KeysCommand } from '../accounts/cli/keys-command.js';
import { keysProgram } from '../accounts/cli/keys-program.js';
import { InvalidOptions } from '../accounts/keys/key-options.js';
import { messageOf } from '../platform/errors/domain-error.js';
import { commandName, parse, type ProgramIo } from './program.js';

/** Runs a command line of `keys`. `changed` is whether running services may still have an older state. */
export async function runKeys(args: readonly string[], io: ProgramIo): Promise<{ exitCode: number; changed: boolean }> {
  let exitCode = 2;
  try {
    let chosen: KeysCommand | undefined;
    const choose = (command: KeysCommand) => (chosen = command);
    parse(
      keysProgram(choose, (text) => io.stdout.write(text), commandName('keys', io)),
      args,
    );
    exitCode = 1;
    if (chosen === undefined) return { exitCode: 0, changed: false };
    // The service is loaded when a command runs: help and invalid arguments need none of it.
    const { runKeysCommand } = await import('./run-keys-command.js');
    return { exitCode: 0, changed: await runKeysCommand(chosen, io) };
  } catch (error) {
    // A key may have been given instead of its id, and terminals are recorded.
    const message = messageOf(error).replaceAll(/psk_(?:live|test)_\w+/g, 'psk_…');
    io.stderr.write(`${message.replace('\n(Did', ' (Did')}\n`);
    const isInvalid = error instanceof Error && error.cause instanceof InvalidOptions;
    return { exitCode: isInvalid ? 2 : exitCode, changed: false };
  }
}
