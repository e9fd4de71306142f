import { createInterface } from 'node:readline/promises';
import type { KeysCommand } from '../accounts/cli/keys-command.js';
import { keysProgram } from '../accounts/cli/keys-program.js';
import { InvalidOptions } from '../accounts/keys/key-options.js';
import { messageOf } from '../platform/errors/domain-error.js';
import { commandName, parse, print, type ProgramIo } from './program.js';

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
    const command = chosen;
    // The service is loaded when a command runs: help and invalid arguments need none of it.
    const { onDatabase } = await import('./on-database.js');
    const changed = await onDatabase(io, command, async (services) => {
      const outcome = await command.run({ ...services, readLine: () => readLine(io) });
      // Before any wait: Ctrl+C must not lose a new key.
      await print(outcome.text, io);
      return outcome.changed;
    });
    return { exitCode: 0, changed };
  } catch (error) {
    // A key may have been given instead of its id, and terminals are recorded.
    const message = messageOf(error).replaceAll(/psk_(?:live|test)_\w+/g, 'psk_…');
    io.stderr.write(`${message.replace('\n(Did', ' (Did')}\n`);
    const isInvalid = error instanceof Error && error.cause instanceof InvalidOptions;
    return { exitCode: isInvalid ? 2 : exitCode, changed: false };
  }
}

async function readLine({ stdin }: ProgramIo): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return '';
}
