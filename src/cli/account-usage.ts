import type { INestApplicationContext } from '@nestjs/common';
import { AdminKeysService } from '../api-keys/index.js';
import { callerOf } from '../auth/index.js';
import { Clock, type Env } from '../config/index.js';
import { Database } from '../database/index.js';
import { keyUsageJson, readUsage, type WindowJson, windowsJson } from '../rate-limit/index.js';
import type { UsageCommand } from './keys-arguments.js';
import type { Outcome } from './keys-commands.js';
import { tableText, time } from './keys-output.js';

/**
 * Runs `usage`.
 * @throws (rejects) InvalidOperationError if no account has that name
 */
export async function showUsage(
  context: INestApplicationContext,
  env: Env,
  { account, json }: UsageCommand,
): Promise<Outcome> {
  const usage = await accountUsage(context, env, account);
  return { text: json ? JSON.stringify(usage) : usageText(usage), changed: false };
}

/** The usage of an account with the fields of getUsage, and of its keys with those of getKeyUsage. */
async function accountUsage(context: INestApplicationContext, env: Env, name: string) {
  const { account, keys } = await context.get(AdminKeysService).account(name);
  // An account has windows whether it has keys or not.
  const callers = [callerOf({ id: '', account, scopes: '', bansLiftedAt: null }), ...keys.map(callerOf)];
  const [own, ...reports] = await readUsage(env, context.get(Clock), context.get(Database), callers);
  if (own === undefined) throw new Error('The usage of the account was not read.');
  return {
    account: account.name,
    plan: account.plan,
    ...windowsJson(own),
    keys: keys.flatMap(({ id, name: keyName }, index) => {
      const report = reports[index];
      return report === undefined ? [] : [{ id, name: keyName ?? undefined, ...keyUsageJson(report) }];
    }),
  };
}

/** For people. */
function usageText({ account, plan, minute, day, keys }: Awaited<ReturnType<typeof accountUsage>>): string {
  const rows = keys.map(({ id, name = '-', strikes, bannedUntil, ...key }) => {
    const counts = [key.minute.requests, key.day.requests, strikes].map(String);
    return [id, name, ...counts, bannedUntil === undefined ? '-' : toSeconds(bannedUntil)];
  });
  return [
    `Account: ${account}, plan ${plan}`,
    `Minute:  ${left(minute)}`,
    `Day:     ${left(day)}`,
    '',
    tableText([['ID', 'NAME', 'MINUTE', 'DAY', 'STRIKES', 'BANNED UNTIL'], ...rows]),
  ].join('\n');
}

function left({ limit, remaining, resetsAt }: WindowJson): string {
  return `${remaining} of ${limit} requests left, resets ${toSeconds(resetsAt)}`;
}

function toSeconds(text: string): string {
  return time(Date.parse(text), '-');
}
