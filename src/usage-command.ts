import { type Command, InvalidArgumentError } from 'commander';
import { clipped, table } from './accounts/cli/keys-output.js';
import { type Json, JSON_OPTION, type Operation, shown } from './accounts/cli/operation.js';
import {
  type AccountUsage,
  AccountUsageModule,
  AccountUsageReader,
  OUTCOMES,
  UsageHistory,
} from './rate-limit/index.js';

/** Adds the command that shows operators which accounts use most. */
export function addUsageCommand(program: Command, choose: (operation: Operation) => void): void {
  program
    .command('usage')
    .description('List the requests of all accounts in their current windows, those with most of the day first.')
    .option('--days <n>', 'list the requests of the last 1 to 30 UTC days by outcome instead', dayCount)
    .option(...JSON_OPTION)
    .action(({ json, days }: Json & { days?: number }) =>
      choose({
        module: AccountUsageModule,
        run: async (context) => {
          if (days === undefined)
            return shown(json, await context.get(AccountUsageReader, { strict: false }).readAll(), usageText);
          const history = await context.get(UsageHistory, { strict: false }).ofAll(days);
          return shown(json, history, (rows) => table([HISTORY_HEAD, ...rows.map(cellsOf)]));
        },
      }),
    );
}

const HISTORY_HEAD = ['account', 'plan', 'requests', ...OUTCOMES].map((name) => name.replace('_', ' ').toUpperCase());
const cellsOf = (row: object) => Object.values(row).map(String);

function dayCount(text: string): number {
  if (/^([1-9]|[12][0-9]|30)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an integer from 1 to 30.');
}

const cell = ({ used, limit }: AccountUsage['day']) => `${used} of ${limit}`;

function usageText(usages: readonly AccountUsage[]): string {
  const rows = usages.map(({ account, plan, minute, day }) => [clipped(account, 30), plan, cell(minute), cell(day)]);
  return table([['ACCOUNT', 'PLAN', 'MINUTE', 'DAY'], ...rows]);
}
