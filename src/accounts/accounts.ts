import type { EntityManager } from 'typeorm';
import { Account } from './account.entity.js';
import { audit, type AuditedOperation } from './audit.js';
import {
  checkAccountName,
  type CustomLimits,
  InvalidOperationError,
  type PlanName,
  planTerms,
  type PlanTerms,
} from './plan.js';

/** The account of a new key; an unknown name creates one. */
export interface AccountRequest extends CustomLimits {
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
}

/**
 * Finds or creates the account.
 * @throws InvalidOperationError if the account exists with other terms, or cannot be created
 */
export async function accountFor(operation: AuditedOperation, request: AccountRequest): Promise<Account> {
  const account = await operation.manager.findOneBy(Account, { name: request.account });
  if (account === null) return createAccount(operation, request);
  const { plan, perMinute = account.perMinute, perDay = account.perDay } = request;
  if (plan === account.plan && perMinute === account.perMinute && perDay === account.perDay) return account;
  throw new InvalidOperationError(
    `The account "${account.name}" exists on the plan ${describeTerms(account)}. Use that plan, or change it first.`,
  );
}

/** @throws (rejects) InvalidOperationError if no account has that name */
export async function accountNamed(manager: EntityManager, name: string): Promise<Account> {
  const account = await manager.findOneBy(Account, { name });
  if (account === null) throw new InvalidOperationError(`There is no account named "${name}".`);
  return account;
}

/**
 * Changes the plan of an account.
 * @throws (rejects) InvalidOperationError if no account has that name
 */
export async function changePlan(operation: AuditedOperation, name: string, terms: PlanTerms): Promise<Account> {
  const account = await accountNamed(operation.manager, name);
  const { plan, perMinute, perDay } = account;
  await operation.manager.update(Account, account.id, terms);
  await audit(operation, 'account.plan_changed', { account }, { from: { plan, perMinute, perDay }, to: terms });
  return account;
}

async function createAccount(operation: AuditedOperation, request: AccountRequest): Promise<Account> {
  const name = checkAccountName(request.account);
  const terms = planTerms(request.plan, request);
  const account = operation.manager.create(Account, { name, ...terms, createdAt: operation.atMs });
  await operation.manager.insert(Account, account);
  await audit(operation, 'account.created', { account }, { name, ...terms });
  return account;
}

function describeTerms({ plan, perMinute, perDay }: PlanTerms): string {
  return perMinute === null ? plan : `${plan} (${perMinute} a minute, ${perDay} a day)`;
}
