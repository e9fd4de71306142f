import { type KeysCommand, keysProgram } from '../../src/accounts/cli/keys-program.js';
import { servicesOf } from '../../src/run-keys-command.js';
import type { AuthInstance } from './auth-service.js';

/** Parses a command line of `keys`, such as `revoke key_0123456789abcdef`. */
export function parseKeysCommand(line: string): KeysCommand {
  const commands: KeysCommand[] = [];
  keysProgram((command) => commands.push(command)).parse(line.split(' '), { from: 'user' });
  const [command] = commands;
  if (command === undefined) throw new TypeError(`${line} is no command.`);
  return command;
}

/** Runs a command line of `keys` in this process. */
export function runKeysCommand({ context }: AuthInstance, line: string): ReturnType<KeysCommand['run']> {
  return parseKeysCommand(line).run(servicesOf(context));
}

/** Creates a key of the account acme, on the plan Pro. */
export async function createKey(instance: AuthInstance, options = ''): Promise<{ id: string; key: string }> {
  const { text } = await runKeysCommand(instance, `create --account acme --plan pro --json${options}`);
  return JSON.parse(text) as { id: string; key: string };
}
