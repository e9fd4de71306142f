import { Argument, Command, Option } from 'commander';
import { type CustomLimits, PLAN_NAMES, type PlanName } from '../../auth/keys/plan.js';
import { checkAccountName, checkName, type NewKey, planTerms } from '../keys/key-options.js';
import { MANAGE_KEYS, SCOPES } from '../../auth/keys/scopes.js';
import { addKeyCommands } from './key-commands.js';
import { checkKnownScopes, lifetime, limit, scopes } from './keys-arguments.js';
import { accountsText, auditText, issuedText, listText } from './keys-output.js';
import { ALLOW_UNKNOWN_SCOPE, type Choose, type Json, JSON_OPTION, type Operation, shown } from './operation.js';

const PER_MINUTE = ['--per-minute <n>', 'requests per minute, for enterprise', limit] as const;
const PER_DAY = ['--per-day <n>', 'requests per day, for enterprise', limit] as const;

const NOTES = `
The plan enterprise requires --per-minute and --per-day; other plans accept neither.
Scopes: ${SCOPES.join(', ')}.
Durations: 30s, 15m, 24h, 90d or 12w.
Works on the database that DATABASE_URL names (default: the embedded one). The service can be running.`;

type Creation = NewKey & Json & { readonly expiresIn?: number; readonly allowUnknownScope?: true };

/**
 * The commands, their arguments and their help. Parsing throws an error for invalid arguments, and for help once it is
 * printed.
 * @param choose gets the command that was parsed
 */
export function keysProgram(choose: (operation: Operation) => void): Command {
  const program = new Command('npm run --silent keys --')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addHelpText('afterAll', NOTES);
  const chosen: Choose = (run, createsDatabase = false) =>
    choose({
      createsDatabase,
      run: async (context) => {
        const { KeysService } = await import('../keys/keys.service.js');
        const { Clock } = await import('../../platform/config/clock.js');
        return run(context.get(KeysService), context.get(Clock).nowMs());
      },
    });

  program
    .command('create')
    .description('Create a key, and the account if it is new. The key is shown once.')
    .requiredOption('--account <name>', 'account of the key', checkAccountName)
    .addOption(new Option('--plan <plan>', 'plan of a new account').choices(PLAN_NAMES))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .option('--name <text>', 'distinguishes the key from others', checkName)
    .option('--scopes <list>', `such as pets:read,pets:write (default: all except ${MANAGE_KEYS})`, scopes)
    .option(...ALLOW_UNKNOWN_SCOPE)
    .option('--expires-in <duration>', 'such as 90d (default: never)', lifetime)
    .option(...JSON_OPTION)
    .action(({ json, expiresIn, allowUnknownScope, ...options }: Creation) => {
      const { plan, perMinute, perDay } = options;
      checkKnownScopes(options.scopes ?? [], allowUnknownScope);
      if (perMinute !== undefined || perDay !== undefined) planTerms(plan ?? 'enterprise', options);
      chosen(async (keys) => {
        const issued = await keys.createKey({ ...options, expiresInMs: expiresIn });
        return shown(json, issued, issuedText);
      }, plan !== undefined);
    });

  program
    .command('list')
    .description('List all keys by account. Last uses appear within some seconds.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) =>
      chosen(async (keys, nowMs) => shown(json, await keys.listKeys(), (all) => listText(all, nowMs))),
    );

  program
    .command('accounts')
    .description('List all accounts with their plans, limits and active keys.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) => chosen(async (keys) => shown(json, await keys.listAccounts(), accountsText)));

  program
    .command('audit')
    .description('List the last operations on keys and accounts, newest first. --json adds details.')
    .argument('[account]', 'only those of this account')
    .option(...JSON_OPTION)
    .action((account: string | undefined, { json }: Json) =>
      chosen(async (keys) => shown(json, await keys.readAudit(account), auditText)),
    );

  program
    .command('plan')
    .description('Change the plan of an account, from its next request on.')
    .argument('<account>', 'name of the account')
    .addArgument(new Argument('<plan>', 'new plan of the account').choices(PLAN_NAMES))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .action((account: string, plan: PlanName, limits: CustomLimits) => {
      planTerms(plan, limits);
      chosen(async (keys) => {
        const { perMinute, perDay } = await keys.changePlan(account, plan, limits);
        const text = `${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`;
        return { text, changed: true };
      });
    });

  addKeyCommands(program, chosen);
  return program;
}
