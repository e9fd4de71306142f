import type { EntityManager } from 'typeorm';
import { Account } from './account.entity.js';
import { audit, type Operation } from './audit.js';
import { checkAccountName, planTerms } from './key-rules.js';
import { KeysError } from './keys-error.js';
import type { CustomLimits, PlanName, PlanTerms } from './plan.js';

/** Which account a new key is for; a new name makes a new account. */
export interface AccountRequest extends CustomLimits {
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
}

/**
 * Finds the account, or makes it.
 * @throws KeysError when the account has other terms, since they are not changed in passing, or can't be made
 */
export async function accountFor(operation: Operation, request: AccountRequest): Promise<Account> {
  const account = await operation.manager.findOneBy(Account, { name: request.account });
  if (account === null) return createAccount(operation, request);
  const { plan, perMinute = account.perMinute, perDay = account.perDay } = request;
  if (plan === account.plan && perMinute === account.perMinute && perDay === account.perDay) return account;
  throw new KeysError(
    `The account "${account.name}" exists on the plan ${describeTerms(account)}. Ask for that, or change its plan first.`,
  );
}

/** @throws KeysError when there is none */
export async function findAccount(manager: EntityManager, name: string): Promise<Account> {
  const account = await manager.findOneBy(Account, { name });
  if (account === null) throw new KeysError(`There is no account named "${name}".`);
  return account;
}

async function createAccount(operation: Operation, request: AccountRequest): Promise<Account> {
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
