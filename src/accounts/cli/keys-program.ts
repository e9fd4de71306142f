import { Command } from 'commander';
import { checkAccountName, type CustomLimits, PLAN_NAMES, type PlanName, planTerms } from '../plan.js';
import type { AdminKeysService } from '../keys/admin-keys.service.js';
import { checkName, type NewKey } from '../keys/key-options.js';
import type { KeyDetails } from '../keys/key.dto.js';
import { MANAGE_KEYS, SCOPES } from '../keys/scopes.js';
import { lifetime, limit, once, overlap, planName, scopes } from './keys-arguments.js';
import { issuedText, listJson, listText, time } from './keys-output.js';

/** The result of a command. */
export interface Outcome {
  /** For standard output; long output is streamed while the database is open. */
  readonly text: string | AsyncIterable<string>;
  /** For standard error. */
  readonly warning?: string | undefined;
  /** Whether running services may still have an older state. */
  readonly changed: boolean;
}

/** A command whose arguments are valid. */
export interface Operation {
  /** Whether it works on a new database too. */
  readonly createsDatabase: boolean;
  /** @throws (rejects) DomainError with a message for the operator */
  run(keys: AdminKeysService, actor: string): Promise<Outcome>;
}

interface Json {
  readonly json?: true;
}

const JSON_OPTION = ['--json', 'print one line for programs'] as const;
const PER_MINUTE = ['--per-minute <n>', 'requests per minute, for enterprise', once(limit)] as const;
const PER_DAY = ['--per-day <n>', 'requests per day, for enterprise', once(limit)] as const;
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
 */
export function keysProgram(choose: (operation: Operation) => void): Command {
  const program = new Command('npm run --silent keys --')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addHelpText('after', NOTES);
  const chosen = (run: Operation['run'], createsDatabase = false) => choose({ run, createsDatabase });

  program
    .command('create')
    .description('Create a key, and the account if it is new. The key is shown once.')
    .requiredOption('--account <name>', 'account of the key', once(checkAccountName))
    .requiredOption('--plan <plan>', PLAN_NAMES.join(', '), once(planName))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .option('--name <text>', 'distinguishes the key from others', once(checkName))
    .option('--scopes <list>', `such as pets:read,pets:write (default: all except ${MANAGE_KEYS})`, once(scopes))
    .option('--expires-in <duration>', 'such as 90d (default: never)', once(lifetime))
    .option(...JSON_OPTION)
    .action(({ json, expiresIn, ...options }: NewKey & Json & { expiresIn?: number }) => {
      if (options.perMinute !== undefined || options.perDay !== undefined) planTerms(options.plan, options);
      chosen(async (keys, actor) => {
        const issued = await keys.createKey({ ...options, expiresInMs: expiresIn }, actor);
        const text = json ? JSON.stringify(issued) : issuedText(issued);
        return { text, warning: unknownScopes(issued.scopes), changed: false };
      }, true);
    });

  program
    .command('list')
    .description('List all keys by account. Last uses appear within some seconds.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) =>
      chosen(async (keys) => ({ text: json ? listJson(keyPages(keys)) : listText(keyPages(keys)), changed: false })),
    );

  program
    .command('scopes <id> <scopes>')
    .description('Replace the scopes of a key, by a list such as pets:read,pets:write.')
    .option(...JSON_OPTION)
    .action((id: string, list: string, { json }: Json) => {
      const wanted = scopes(list);
      chosen(async (keys, actor) => {
        const key = await keys.changeScopes(id, wanted, actor);
        const text = json ? JSON.stringify(key) : `${key.id} has the scopes ${key.scopes.join(' ')}.`;
        return { text, warning: unknownScopes(key.scopes), changed: true };
      });
    });

  program
    .command('revoke <id>')
    .description('Revoke a key for good.')
    .action((id: string) =>
      chosen(async (keys, actor) => {
        const revoked = await keys.revoke(id, actor);
        return { text: revoked ? `Revoked ${id}.` : `${id} is already revoked.`, changed: true };
      }),
    );

  program
    .command('rotate <id>')
    .description('Create a successor. The old key keeps working for the overlap.')
    .option('--overlap <duration>', `0s for none (default: ${DEFAULT_OVERLAP})`, once(overlap))
    .option(...JSON_OPTION)
    .action((id: string, { json, overlap: overlapMs = overlap(DEFAULT_OVERLAP) }: Json & { overlap?: number }) =>
      chosen(async (keys, actor) => {
        const rotated = await keys.rotate(id, overlapMs, actor);
        const until = `Old key: ${rotated.replaces} works until ${time(rotated.replacedExpiresAt)}`;
        const text = json ? JSON.stringify(rotated) : `${issuedText(rotated)}\n${until}`;
        return { text, changed: true };
      }),
    );

  program
    .command('plan')
    .description('Change the plan of an account, from its next request on.')
    .argument('<account>')
    .argument('<plan>', PLAN_NAMES.join(', '), planName)
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .action((account: string, plan: PlanName, limits: CustomLimits) => {
      planTerms(plan, limits);
      chosen(async (keys, actor) => {
        const { perMinute, perDay } = await keys.changePlan(account, plan, limits, actor);
        const text = `${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`;
        return { text, changed: true };
      });
    });

  program
    .command('unban <id>')
    .description('Lift the ban of a key.')
    .action((id: string) =>
      chosen(async (keys, actor) => {
        await keys.unban(id, actor);
        return { text: `${id} is no longer banned.`, changed: true };
      }),
    );

  return program;
}

async function* keyPages(keys: AdminKeysService): AsyncGenerator<KeyDetails[]> {
  for (let page = await keys.listKeys(); page.length > 0; page = await keys.listKeys(page.at(-1)?.id)) yield page;
}

/** Extensions can have scopes of their own, so an unknown one is no error. */
function unknownScopes(wanted: readonly string[]): string | undefined {
  const known: readonly string[] = SCOPES;
  const unknown = wanted.filter((scope) => !known.includes(scope));
  return unknown.length === 0 ? undefined : `Warning: not a scope of the service itself: ${unknown.join(', ')}`;
}
