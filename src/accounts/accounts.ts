import type { EntityManager } from 'typeorm';
import { Account } from '../auth/keys/account.entity.js';
import { ApiKey } from '../auth/keys/api-key.entity.js';
import { audit, type AuditedOperation } from '../auth/keys/audit-record.entity.js';
import { limitsAt } from '../auth/keys/plan.js';
import { rfc3339 } from '../platform/config/clock.js';
import { checkAccountName, invalid, type NewKey, planTerms } from './keys/key-options.js';

/**
 * Finds or creates the account of a new key.
 * @throws (rejects) DomainError `validation_failed` if the account exists with other terms, or cannot be created
 */
export async function accountFor(operation: AuditedOperation, newKey: NewKey): Promise<Account> {
  const account = await operation.manager.findOneBy(Account, { name: newKey.account });
  if (account === null) return createAccount(operation, newKey);
  const { plan = account.plan, perMinute = account.perMinute, perDay = account.perDay } = newKey;
  if (plan === account.plan && perMinute === account.perMinute && perDay === account.perDay) return account;
  const limits = account.perMinute === null ? '' : ` (${account.perMinute} a minute, ${account.perDay} a day)`;
  throw invalid(
    `The account "${account.name}" exists on the plan ${account.plan}${limits}. Omit the plan, or change it with "keys plan".`,
  );
}

async function createAccount(operation: AuditedOperation, newKey: NewKey): Promise<Account> {
  const name = checkAccountName(newKey.account);
  if (newKey.plan === undefined) throw invalid(`There is no account named "${name}". A new one needs a plan.`);
  const terms = planTerms(newKey.plan, newKey);
  const account = operation.manager.create(Account, { name, ...terms, createdAt: operation.atMs });
  await operation.manager.insert(Account, account);
  await audit(operation, 'account.created', account.id, null, { name, ...terms });
  return account;
}

/**
 * @param name or the identifier, which logs have
 * @throws (rejects) DomainError `validation_failed` if there is no such account, or if there are two
 */
export async function getAccount(manager: EntityManager, name: string): Promise<Account> {
  const account = await findAccount(manager, name);
  if (account === undefined) throw noAccount(name);
  return account;
}

export const noAccount = (name: string) => invalid(`There is no account named "${name}".`);

/** @throws (rejects) DomainError `validation_failed` if it is the name of an account and the identifier of another one */
export async function findAccount(manager: EntityManager, name: string): Promise<Account | undefined> {
  const id = accountIdIn(name);
  const where = id === undefined ? { name } : [{ name }, { id }];
  const found = await manager.find(Account, { where, order: { id: 'ASC' } });
  if (found.length < 2) return found[0];
  const others = found.map((one) => (one.name === name ? `the identifier ${one.id}` : `the name "${one.name}"`));
  throw invalid(`Two accounts have the name or the identifier "${name}". Use ${others.join(' or ')}.`);
}

/** The identifier of an account, if it can be one. */
export function accountIdIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

export type AccountSummary = Awaited<ReturnType<typeof summariseAccounts>>[number];

/** All accounts, oldest first, with the last use of their keys, and the number of active ones. Paused ones are active. */
export async function summariseAccounts(manager: EntityManager, atMs: number) {
  const isActive = 'key.revokedAt IS NULL AND (key.expiresAt IS NULL OR key.expiresAt > :atMs)';
  const accounts = manager
    .createQueryBuilder(Account, 'account')
    .leftJoin(ApiKey, 'key', 'key.accountId = account.id')
    .addSelect(`COUNT(CASE WHEN ${isActive} THEN key.id END)`, 'active')
    .addSelect('MAX(key.lastUsedAt)', 'used')
    .setParameters({ atMs })
    .groupBy('account.id')
    .orderBy('account.id');
  // PostgreSQL returns numbers as texts.
  const { entities, raw } = await accounts.getRawAndEntities<Record<'active' | 'used', number | string | null>>();
  return entities.map((account, index) => {
    const { active = 0, used = null } = raw[index] ?? {};
    const { limits, limitsEndAtMs } = limitsAt(account, atMs);
    return {
      id: account.id,
      account: account.name,
      plan: account.plan,
      ...limits,
      ...(limitsEndAtMs === undefined ? {} : { limitsUntil: rfc3339(limitsEndAtMs) }),
      ...(account.suspendedAt === null ? {} : { suspendedAt: rfc3339(account.suspendedAt) }),
      activeKeys: Number(active),
      ...(used === null ? {} : { lastUsedAt: rfc3339(Number(used)) }),
    };
  });
}
