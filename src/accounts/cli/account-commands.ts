import { Argument, Option } from 'commander';
import { type CustomLimits, type Limits, PLAN_NAMES, type PlanName } from '../../auth/keys/plan.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { invalid, planTerms } from '../keys/key-options.js';
import { dayCount, limit, required, until } from './keys-arguments.js';
import { type Commands, done, type Json, JSON_OPTION, type KeysCommand } from './keys-command.js';
import { PER_DAY, PER_MINUTE, rendered } from './keys-command.js';
import { accountsText, auditText, usageText } from './keys-output.js';

type Split = 'key' | 'operation';

export function addAccountCommands({ command, run }: Commands): void {
  const accountCommand = (name: string, description: string) =>
    command(name, description).argument('<account>', 'name or identifier of the account');
  const runLong = (work: KeysCommand['run']) => run(work, { isLong: true });

  command('accounts', 'List all accounts with their plans, limits and active keys.')
    .option(...JSON_OPTION)
    .action(({ json }: Json) => run(async ({ accounts }) => rendered(json, await accounts.list(), accountsText)));

  command('audit', 'List the last 200 operations on keys, accounts and webhooks, newest first. --json adds details.')
    .argument('[account]', 'only of this account')
    .option(...JSON_OPTION)
    .action((account: string | undefined, { json }: Json) =>
      run(async ({ accounts }) => rendered(json, await accounts.readAudit(account), auditText)),
    );

  accountCommand('plan', 'Change the plan of an account, from its next request on.')
    .addArgument(new Argument('<plan>', 'new plan of the account').choices(PLAN_NAMES))
    .option(...PER_MINUTE)
    .option(...PER_DAY)
    .action((account: string, plan: PlanName, limits: CustomLimits) => {
      planTerms(plan, limits);
      run(async ({ accounts }) => {
        const { perMinute, perDay } = await accounts.changePlan(account, plan, limits);
        return done(`${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`);
      });
    });

  accountCommand('limits', 'Give an account on any plan other limits until a time.')
    .option('--per-minute <n>', 'requests per minute (default: that of the plan)', limit)
    .option('--per-day <n>', 'requests per day (default: that of the plan)', limit)
    .option('--until <date>', 'end of these limits, such as 2026-12-01 or 2026-12-01T12:00:00Z (required)', until)
    .action((account: string, { until: end, ...limits }: Partial<Limits> & { readonly until?: number }) => {
      const untilMs = required('--until <date>', end);
      run(async ({ accounts }) => {
        const { name, otherPerMinute, otherPerDay } = await accounts.limit(account, limits, untilMs);
        return done(`${name}: ${otherPerMinute} requests a minute, ${otherPerDay} a day, until ${rfc3339(untilMs)}.`);
      });
    });

  accountCommand('suspend', 'Refuse all keys of an account until it is resumed.')
    .option('--reason <text>', 'for the audit record; clients do not see it (required)')
    .action((account: string, options: { readonly reason?: string }) => {
      const reason = required('--reason <text>', options.reason?.trim() || undefined);
      run(async ({ accounts }) => done(`${(await accounts.suspend(account, reason)).name} is suspended.`));
    });

  accountCommand('export', 'Print all stored data of an account as JSON, without hashes and secrets.').action(
    (account: string) =>
      runLong(async ({ accounts, tables }) => ({ text: accounts.export(account, tables), changed: false })),
  );

  accountCommand('delete', 'Delete an account and its data. It must have been suspended for a minute.').action(
    (account: string) =>
      runLong(async ({ accounts, tables }) => {
        const { name, id } = await accounts.delete(account, tables);
        return done(`Deleted ${name} (${id}). Its audit records remain.`);
      }),
  );

  command('usage', 'List the requests of all accounts, or of one, by outcome. Most requests come first.')
    .argument('[account]', 'only of this account')
    .option('--days <n>', 'number of UTC days, including today: 1 to 30', dayCount, 1)
    .addOption(new Option('--by <split>', 'split the requests of an account').choices(['key', 'operation']))
    .option(...JSON_OPTION)
    .action((account: string | undefined, { json, days, by }: Json & { days: number; by?: Split }) => {
      if (by !== undefined && account === undefined) throw invalid('--by needs an account.');
      runLong(async ({ accounts, history }) => {
        const id = account === undefined ? undefined : (await accounts.get(account)).id;
        return rendered(json, await history.ofAll(days, id, by), usageText);
      });
    });
}
