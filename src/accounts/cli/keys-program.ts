import { Command, Option } from 'commander';
import { PLAN_NAMES } from '../../auth/keys/plan.js';
import { REQUESTED_SCOPES, SCOPES } from '../../auth/keys/scopes.js';
import { KEY_ID } from '../../auth/keys/api-key-format.js';
import { checkAccountName, checkName, type NewKey, planTerms } from '../keys/key-options.js';
import type { KeyDetails } from '../keys/key-responses.dto.js';
import type { KeysService } from '../keys/keys.service.js';
import { addAccountCommands } from './account-commands.js';
import { checkKnownScopes, keyName, lifetime, overlap, required, scopes } from './keys-arguments.js';
import { type Commands, type Json, JSON_OPTION, type KeysCommand } from './keys-command.js';
import { done, PER_DAY, PER_MINUTE, rendered } from './keys-command.js';
import { issuedText, keyText, listJson, listText, rotatedText } from './keys-output.js';

type ScopeOptions = Json & { readonly allowUnknownScope?: true };

const ALLOW_UNKNOWN_SCOPE = ['--allow-unknown-scope', 'accept scopes of extensions'] as const;
const DEFAULT_OVERLAP = '24h';

const NOTES = `
The plan enterprise requires --per-minute and --per-day; other plans accept neither.
Scopes: ${SCOPES.join(', ')}.
Durations: 30s, 15m, 24h, 90d or 12w.
Uses the database that DATABASE_URL names (default: the embedded one). The service can be running.`;

/**
 * The commands, their arguments and their help. Parsing throws an error for invalid arguments, and for help once it is
 * printed.
 * @param choose gets the command that was parsed
 * @param print gets the help
 * @param programName how the user starts the program
 */
export function keysProgram(
  choose: (command: KeysCommand) => void,
  print: (help: string) => void,
  programName = 'keys',
): Command {
  const program = new Command(programName)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .addHelpText('afterAll', NOTES);
  const run: Commands['run'] = (work, options) => choose({ createsDatabase: false, ...options, run: work });
  const command = (name: string, description: string) => program.command(name).description(description);
  const keyCommand = (name: string, description: string) =>
    command(name, description).argument('<id>', 'identifier of the key, such as key_0123456789abcdef');
  const change = (name: string, description: string, work: (keys: KeysService, id: string) => Promise<string>) =>
    keyCommand(name, description).action((id: string) => run(async ({ keys }) => done(await work(keys, id))));

  command('create', 'Create a key, and the account if it is new. The key is shown once.')
    .option('--account <name>', 'account of the key (required)', checkAccountName)
    .addOption(new Option('--plan <plan>', 'plan of a new account').choices(PLAN_NAMES))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .option('--name <text>', 'distinguishes the key from others', checkName)
    .option(
      '--scopes <list>',
      `such as pets:read,pets:write (default: all except ${REQUESTED_SCOPES.join(', ')})`,
      scopes,
    )
    .option(...ALLOW_UNKNOWN_SCOPE)
    .option('--expires-in <duration>', 'such as 90d (default: never)', lifetime)
    .option(...JSON_OPTION)
    .action((options: Partial<NewKey> & ScopeOptions & { readonly expiresIn?: number }) => {
      const { json, expiresIn: expiresInMs, allowUnknownScope, ...rest } = options;
      const newKey = { ...rest, account: required('--account <name>', rest.account) };
      const { plan, perMinute, perDay } = newKey;
      checkKnownScopes(newKey.scopes ?? [], allowUnknownScope);
      if (perMinute !== undefined || perDay !== undefined) planTerms(plan ?? 'enterprise', newKey);
      run(async ({ keys }) => rendered(json, await keys.createKey({ ...newKey, expiresInMs }), issuedText), {
        createsDatabase: plan !== undefined,
      });
    });

  command('list', 'List keys by account. Last uses are some seconds late.')
    .option('--account <name>', 'only of this account, by its name or identifier')
    .option(...JSON_OPTION)
    .action(({ json, account }: Json & { readonly account?: string }) =>
      run(async ({ keys, nowMs }) => {
        const pages = keys.listKeys(account);
        return { text: json ? listJson(pages) : listText(pages, nowMs), changed: false };
      }),
    );

  command('find', 'Find a key by its text, which is neither stored nor logged.')
    .argument(
      '[key]',
      'text of the key (default: the first line of standard input, which lists of processes do not show)',
    )
    .option(...JSON_OPTION)
    .action((key: string | undefined, { json }: Json) =>
      run(async ({ keys, nowMs, readLine }) =>
        rendered(json, await keys.findKey(key ?? (await readLine())), (found) => keyText(found, nowMs)),
      ),
    );

  keyCommand('show', 'Show everything about a key, except the key itself.')
    .option(...JSON_OPTION)
    .action((id: string, { json }: Json) =>
      run(async ({ keys, nowMs }) => rendered(json, await keys.showKey(id), (key) => keyText(key, nowMs))),
    );

  keyCommand('rename', 'Give a key another name.')
    .argument('<name>', 'distinguishes the key from others; "" for none', keyName)
    .action((id: string, name: string | null) =>
      run(async ({ keys }) => {
        await keys.change(id, { name });
        return done(name === null ? `${id} has no name.` : `${id} is named ${name}.`);
      }),
    );

  keyCommand('scopes', 'Replace the scopes of a key.')
    .argument('<scopes>', 'such as pets:read,pets:write', scopes)
    .option(...ALLOW_UNKNOWN_SCOPE)
    .option(...JSON_OPTION)
    .action((id: string, wanted: string[], { json, allowUnknownScope }: ScopeOptions) => {
      checkKnownScopes(wanted, allowUnknownScope);
      const textOf = (key: KeyDetails) => `${id} has the scopes ${key.scopes.join(' ')}.`;
      run(async ({ keys }) => rendered(json, await keys.change(id, { scopes: wanted }), textOf, true));
    });

  keyCommand('rotate', 'Create a successor. The old key keeps working for the overlap.')
    .option('--overlap <duration>', `0s for none (default: ${DEFAULT_OVERLAP})`, overlap)
    .option(...JSON_OPTION)
    .action((id: string, { json, overlap: overlapMs = overlap(DEFAULT_OVERLAP) }: Json & { overlap?: number }) =>
      run(async ({ keys }) => rendered(json, await keys.rotate(id, overlapMs), rotatedText, true)),
    );

  change('pause', 'Refuse a key until it is resumed.', (keys, id) =>
    keys.change(id, { paused: true }).then(() => `${id} is paused.`),
  );
  command('resume', 'Accept a paused key again, or the keys of a suspended account.')
    .argument('<id>', 'identifier of the key, or name or identifier of the account')
    .action((id: string) =>
      run(async ({ keys, accounts }) => {
        if (!KEY_ID.test(id)) return done(`${(await accounts.resume(id)).name} is resumed.`);
        await keys.change(id, { paused: false });
        return done(`${id} is not paused.`);
      }),
    );
  change('unban', 'Lift the ban of a key.', (keys, id) => keys.unban(id).then(() => `${id} is no longer banned.`));
  change('revoke', 'Revoke a key permanently.', async (keys, id) =>
    (await keys.revoke(id)) ? `Revoked ${id}.` : `${id} is already revoked.`,
  );

  addAccountCommands({ command, run });
  return program;
}
