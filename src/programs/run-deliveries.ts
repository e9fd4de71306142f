import { Command } from 'commander';
import { table } from '../accounts/cli/keys-output.js';
import type { Deliveries } from '../database/events/delivery/deliveries.js';
import { rfc3339 } from '../platform/config/clock.js';
import { messageOf } from '../platform/errors/domain-error.js';
import { commandName, parse, print, type ProgramIo } from './program.js';

type Work = (services: { readonly deliveries: Deliveries }) => Promise<string>;

const NOTES = `
Subscriptions are listeners of @OnLoggedEvent(), by their name, and webhooks, such as webhook:1.
Uses the database that DATABASE_URL names (default: the embedded one). The service can be running.`;

/** Runs a command line of `deliveries`, which lists and repeats dead letters. @returns the exit code */
export async function runDeliveries(args: readonly string[], io: ProgramIo): Promise<number> {
  let exitCode = 2;
  try {
    const work = choose(args, io);
    exitCode = 1;
    if (work === undefined) return 0;
    const { onDatabase } = await import('./on-database.js');
    await print(await onDatabase(io, {}, work), io);
    return 0;
  } catch (error) {
    io.stderr.write(`${messageOf(error)}\n`);
    return exitCode;
  }
}

/** Undefined if the arguments ask for help. @throws Error if they are invalid */
function choose(args: readonly string[], io: ProgramIo): Work | undefined {
  let chosen: Work | undefined;
  const program = new Command(commandName('deliveries', io))
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => undefined })
    .addHelpText('afterAll', NOTES);
  program
    .command('failed')
    .description('List dead letters: events that a subscription could not handle, at most 1,000.')
    .argument('[subscription]', 'only of this subscription')
    .option('--json', 'print one line for programs')
    .action((name: string | undefined, { json }: { readonly json?: true }) => {
      chosen = async ({ deliveries }) => {
        const failed = await deliveries.failed(name);
        if (json) return JSON.stringify(failed);
        const rows = failed.map(({ subscription, subject, attempts, at, error }) => [
          subscription,
          subject,
          String(attempts),
          rfc3339(at),
          error ?? '-',
        ]);
        return table([['SUBSCRIPTION', 'SUBJECT', 'ATTEMPTS', 'FAILED', 'ERROR'], ...rows]);
      };
    });
  program
    .command('repeat')
    .description(
      'Retry the dead letters of a subscription. A running service begins within a second, or with its next request or readiness check if it is idle on PostgreSQL.',
    )
    .argument('<subscription>', 'such as ledger or webhook:1')
    .action((name: string) => {
      chosen = async ({ deliveries }) =>
        `${await deliveries.repeat(name, 'failed')} events of ${name} will be retried.`;
    });
  parse(program, args);
  return chosen;
}
