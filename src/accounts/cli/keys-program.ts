import { Argument, Command, Option } from 'commander';
import { type CustomLimits, PLAN_NAMES, type PlanName } from '../../auth/keys/plan.js';
import { REQUESTED_SCOPES, SCOPES } from '../../auth/keys/scopes.js';
import type { UsageHistory } from '../../rate-limit/history/usage-history.js';
import { checkAccountName, checkName, type NewKey, planTerms } from '../keys/key-options.js';
import type { KeyDetails } from '../keys/key-responses.dto.js';
import type { KeysService } from '../keys/keys.service.js';
import { checkKnownScopes, dayCount, keyName, lifetime, limit, overlap, scopes } from './keys-arguments.js';
import { accountsText, auditText, issuedText, keyText, listText, rotatedText, usageText } from './keys-output.js';

export type KeysServices = { readonly keys: KeysService; readonly history: UsageHistory; readonly nowMs: number };

/** The text for standard output, and whether running services may still have an older state. */
type Outcome = { readonly text: string; readonly changed: boolean };

export interface KeysCommand {
  /** Whether it works on a new database too. */
  readonly createsDatabase: boolean;
  /** @throws (rejects) DomainError with a message for the operator */
  run(services: KeysServices): Promise<Outcome>;
}

type Json = { readonly json?: true };
type ScopeOptions = Json & { readonly allowUnknownScope?: true };

const JSON_OPTION = ['--json', 'print one line for programs'] as const;
const ALLOW_UNKNOWN_SCOPE = ['--allow-unknown-scope', 'accept scopes of extensions'] as const;
const PER_MINUTE = ['--per-minute <n>', 'requests per minute, for enterprise', limit] as const;
const PER_DAY = ['--per-day <n>', 'requests per day, for enterprise', limit] as const;
const DEFAULT_OVERLAP = '24h';

const NOTES = `
The plan enterprise requires --per-minute and --per-day; other plans accept neither.
Scopes: ${SCOPES.join(', ')}.
Durations: 30s, 15m, 24h, 90d or 12w.
Works on the database that DATABASE_URL names (default: the embedded one). The service can be running.`;

/**
 * The commands, their arguments and their help. Parsing throws an error for invalid arguments, and for help once it is
 * printed.
 * @param choose gets the command that was parsed
 * @param print gets the help
 */
export function keysProgram(choose: (command: KeysCommand) => void, print: (help: string) => void): Command {
  const program = new Command('npm run --silent keys --')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .addHelpText('afterAll', NOTES);
  const run = (work: KeysCommand['run'], createsDatabase = false) => choose({ createsDatabase, run: work });
  const command = (name: string, description: string) => program.command(name).description(description);
  const keyCommand = (name: string, description: string) =>
    command(name, description).argument('<id>', 'of the key, such as key_0123456789abcdef');
  const change = (name: string, description: string, work: (keys: KeysService, id: string) => Promise<string>) =>
    keyCommand(name, description).action((id: string) =>
      run(async ({ keys }) => ({ text: await work(keys, id), changed: true })),
    );

  command('create', 'Create a key, and the account if it is new. The key is shown once.')
    .requiredOption('--account <name>', 'account of the key', checkAccountName)
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
    .action((options: NewKey & ScopeOptions & { readonly expiresIn?: number }) => {
      const { json, expiresIn: expiresInMs, allowUnknownScope, ...newKey } = options;
      const { plan, perMinute, perDay } = newKey;
      checkKnownScopes(newKey.scopes ?? [], allowUnknownScope);
      if (perMinute !== undefined || perDay !== undefined) planTerms(plan ?? 'enterprise', newKey);
      run(
        async ({ keys }) => rendered(json, await keys.createKey({ ...newKey, expiresInMs }), issuedText),
        plan !== undefined,
      );
    });

  command('list', 'List all keys by account. Last uses appear within some seconds.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) =>
      run(async ({ keys, nowMs }) => rendered(json, await keys.listKeys(), (all) => listText(all, nowMs))),
    );

  command('accounts', 'List all accounts with their plans, limits and active keys.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) => run(async ({ keys }) => rendered(json, await keys.listAccounts(), accountsText)));

  command('audit', 'List the last operations on keys and accounts, newest first. --json adds details.')
    .argument('[account]', 'only those of this account')
    .option(...JSON_OPTION)
    .action((account: string | undefined, { json }: Json) =>
      run(async ({ keys }) => rendered(json, await keys.readAudit(account), auditText)),
    );

  command('plan', 'Change the plan of an account, from its next request on.')
    .argument('<account>', 'name of the account')
    .addArgument(new Argument('<plan>', 'new plan of the account').choices(PLAN_NAMES))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .action((account: string, plan: PlanName, limits: CustomLimits) => {
      planTerms(plan, limits);
      run(async ({ keys }) => {
        const { perMinute, perDay } = await keys.changePlan(account, plan, limits);
        const text = `${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`;
        return { text, changed: true };
      });
    });

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
        return { text: name === null ? `${id} has no name.` : `${id} is named ${name}.`, changed: true };
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
  change('resume', 'Accept a paused key again.', (keys, id) =>
    keys.change(id, { paused: false }).then(() => `${id} is not paused.`),
  );
  change('unban', 'Lift the ban of a key.', (keys, id) => keys.unban(id).then(() => `${id} is no longer banned.`));
  change('revoke', 'Revoke a key for good.', async (keys, id) =>
    (await keys.revoke(id)) ? `Revoked ${id}.` : `${id} is already revoked.`,
  );

  command('usage', 'List the requests of all accounts by outcome, those with most first.')
    .option('--days <n>', 'of the last 1 to 30 UTC days, today included', dayCount, 1)
    .option(...JSON_OPTION)
    .action(({ json, days }: Json & { days: number }) =>
      run(async ({ history }) => {
        const { OUTCOMES } = await import('../../rate-limit/history/usage-history.js');
        const columns = ['account', 'plan', 'requests', ...OUTCOMES];
        return rendered(json, await history.ofAll(days), (rows) => usageText(columns, rows));
      }),
    );

  return program;
}

/** A result for programs, or as a text for people. */
function rendered<T>(json: true | undefined, result: T, textOf: (result: T) => string, changed = false): Outcome {
  return { text: json ? JSON.stringify(result) : textOf(result), changed };
}
