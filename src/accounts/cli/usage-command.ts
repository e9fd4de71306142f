import { type Command, InvalidArgumentError } from 'commander';
import { clipped, table } from './keys-output.js';
import { type Json, JSON_OPTION, type Operation, shown } from './operation.js';

export function addUsageCommand(program: Command, choose: (operation: Operation) => void): void {
  program
    .command('usage')
    .description('List the requests of all accounts by outcome, those with most first.')
    .option('--days <n>', 'of the last 1 to 30 UTC days, today included', dayCount, 1)
    .option(...JSON_OPTION)
    .action(({ json, days }: Json & { days: number }) =>
      choose({
        run: async (context) => {
          const { Database } = await import('../../database/database.js');
          const { Clock } = await import('../../platform/config/clock.js');
          const { OUTCOMES, UsageHistory } = await import('../../rate-limit/history/usage-history.js');
          const history = new UsageHistory(context.get(Database), context.get(Clock));
          const head = ['account', 'plan', 'requests', ...OUTCOMES].map((name) => name.replace('_', ' ').toUpperCase());
          return shown(json, await history.ofAll(days), (rows) => table([head, ...rows.map(cellsOf)]));
        },
      }),
    );
}

const cellsOf = (row: object) => Object.values(row).map((value) => clipped(String(value), 28));

function dayCount(text: string): number {
  if (/^([1-9]|[12][0-9]|30)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an integer from 1 to 30.');
}
