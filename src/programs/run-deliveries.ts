import { pipeline } from 'node:stream/promises';
import { Command, CommanderError } from 'commander';
import { escaped, table } from '../accounts/cli/keys-output.js';
import type { ProgramIo } from './run-keys-command.js';

type Work = (services: {
  readonly deliveries: import('../database/events/delivery/deliveries.js').Deliveries;
  readonly database: import('../database/database.js').Database;
}) => Promise<string>;

const NOTES = `
Subscriptions are listeners of @OnLoggedEvent(), by their name, and webhooks, such as webhook:1.
Works on the database that DATABASE_URL names (default: the embedded one). The service can be running.`;

/** Runs a command line of `deliveries`, which lists and repeats dead letters. @returns the exit code */
export async function runDeliveries(args: readonly string[], io: ProgramIo): Promise<number> {
  let exitCode = 2;
  try {
    const work = parse(args, io);
    exitCode = 1;
    if (work === undefined) return 0;
    const [{ onDatabase }, { Deliveries }, { Database }] = await Promise.all([
      import('./run-keys-command.js'),
      import('../database/events/delivery/deliveries.js'),
      import('../database/database.js'),
    ]);
    const text = await onDatabase(io, false, (context) =>
      work({ deliveries: context.get(Deliveries), database: context.get(Database) }),
    );
    await pipeline([`${escaped(text)}\n`], io.stdout, { end: false });
    return 0;
  } catch (error) {
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCode;
  }
}

/** Undefined if the arguments ask for help. @throws Error if they are invalid */
function parse(args: readonly string[], { stdout }: ProgramIo): Work | undefined {
  let chosen: Work | undefined;
  const program = new Command('npm run --silent deliveries --')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined })
    .addHelpText('afterAll', NOTES);
  program
    .command('failed')
    .description('List dead letters: events that a subscription could not handle, at most 1,000.')
    .argument('[subscription]', 'only those of this subscription')
    .option('--json', 'print one line for programs')
    .action((name: string | undefined, { json }: { readonly json?: true }) => {
      chosen = async ({ deliveries }) => {
        const failed = await deliveries.failed(name);
        if (json) return JSON.stringify(failed);
        const rows = failed.map(({ subscription, subject, attempts, at, error }) => [
          subscription,
          subject,
          String(attempts),
          new Date(at).toISOString(),
          error ?? '-',
        ]);
        return table([['SUBSCRIPTION', 'SUBJECT', 'ATTEMPTS', 'FAILED', 'ERROR'], ...rows]);
      };
    });
  program
    .command('repeat')
    .description('Handle the dead letters of a subscription again. Running services begin within a second of traffic.')
    .argument('<subscription>', 'such as ledger or webhook:1')
    .action((name: string) => {
      chosen = async ({ deliveries, database }) =>
        `${await deliveries.repeat(database.manager, name, 'failed')} events of ${name} are handled again.`;
    });
  try {
    if (args.length === 0) program.error('error: missing command');
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return chosen;
}
