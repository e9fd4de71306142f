import type { KeysCommand } from '../../src/accounts/cli/keys-command.js';
import { keysProgram } from '../../src/accounts/cli/keys-program.js';
import { servicesOf } from '../../src/programs/on-database.js';
import { authForEachTest } from './auth-service.js';

/** Parses a command line of `keys`, such as `revoke key_0123456789abcdef`. */
export function parseKeysCommand(line: string): KeysCommand {
  const commands: KeysCommand[] = [];
  keysProgram(
    (command) => commands.push(command),
    () => undefined,
  ).parse(line.split(' '), { from: 'user' });
  const [command] = commands;
  if (command === undefined) throw new TypeError(`${line} is no command.`);
  return command;
}

/** Gives each test a service, and runs command lines of `keys` on it in this process. */
export function keysForEachTest() {
  const { bench, service } = authForEachTest();
  const run = async (line: string) => {
    const services = { ...servicesOf(service.context), readLine: () => Promise.resolve('') };
    const { text, changed } = await parseKeysCommand(line).run(services);
    if (typeof text === 'string') return { text, changed };
    let whole = '';
    for await (const part of text) whole += part;
    return { text: whole, changed };
  };
  /** Creates a key of the account acme, on the plan Pro. */
  const create = async (options = '') => {
    const { text } = await run(`create --account acme --plan pro --json${options}`);
    return JSON.parse(text) as { id: string; key: string };
  };
  return { bench, service, run, create };
}
