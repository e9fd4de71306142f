import { keysProgram } from '../../src/accounts/cli/keys-program.js';
import type { Operation } from '../../src/accounts/cli/operation.js';
import type { AuthInstance } from './auth-service.js';

/** Parses a command line of `keys`, such as `revoke key_0123456789abcdef`. */
export function parseKeysCommand(line: string): Operation {
  const operations: Operation[] = [];
  keysProgram((operation) => operations.push(operation)).parse(line.split(' '), { from: 'user' });
  const [operation] = operations;
  if (operation === undefined) throw new TypeError(`${line} is no command.`);
  return operation;
}

/** Runs a command line of `keys` in this process. */
export function runKeysCommand({ context }: AuthInstance, line: string): ReturnType<Operation['run']> {
  return parseKeysCommand(line).run(context);
}

/** Creates a key of the account acme, on the plan Pro. */
export async function createKey(instance: AuthInstance, options = ''): Promise<{ id: string; key: string }> {
  const { text } = await runKeysCommand(instance, `create --account acme --plan pro --json${options}`);
  return JSON.parse(text) as { id: string; key: string };
}
