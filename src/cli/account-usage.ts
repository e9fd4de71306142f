import type { INestApplicationContext } from '@nestjs/common';
import { type Account, limitsOf, type PlanName } from '../accounts/index.js';
import { AdminKeysService } from '../api-keys/index.js';
import { CachedKey, type Caller } from '../auth/index.js';
import { Clock, type Env } from '../config/index.js';
import { Database } from '../database/index.js';
import { type KeyUsageJson, keyUsageJson, readUsage, type WindowJson, windowsJson } from '../rate-limit/index.js';
import type { UsageCommand } from './keys-arguments.js';
import type { Outcome } from './keys-commands.js';
import { tableText, time } from './keys-output.js';

/** The usage of an account with the fields of getUsage, and of its keys with those of getKeyUsage. */
interface AccountUsage {
  readonly account: string;
  readonly plan: PlanName;
  readonly minute: WindowJson;
  readonly day: WindowJson;
  readonly keys: readonly (KeyUsageJson & { readonly id: string; readonly name?: string })[];
}

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

/** @throws (rejects) InvalidOperationError if no account has that name */
async function accountUsage(context: INestApplicationContext, env: Env, name: string): Promise<AccountUsage> {
  const { account, keys } = await context.get(AdminKeysService).account(name);
  const callers = keys.map((key) => new CachedKey(key, 0).caller);
  const [own, ...reports] = await readUsage(env, context.get(Clock), context.get(Database), [
    withoutKey(account),
    ...callers,
  ]);
  if (own === undefined) throw new Error('The usage of the account was not read.');
  return {
    account: account.name,
    plan: account.plan,
    ...windowsJson(own),
    keys: keys.flatMap(({ id, name: keyName }, index) => {
      const report = reports[index];
      return report === undefined
        ? []
        : [{ id, ...(keyName === null ? {} : { name: keyName }), ...keyUsageJson(report) }];
    }),
  };
}

/** An account has windows whether it has keys or not. */
function withoutKey(account: Account): Caller {
  const { id, name, plan } = account;
  return {
    keyId: '',
    accountId: id,
    account: name,
    plan,
    limits: limitsOf(account),
    scopes: new Set(),
    bansLiftedAtMs: 0,
  };
}

/** For people. */
function usageText({ account, plan, minute, day, keys }: AccountUsage): string {
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
