import type { EntityManager } from 'typeorm';
import { byBytes } from '../database/index.js';
import { ApiKey } from './api-key.entity.js';
import type { PlanName } from './plan.js';

/** What may be told about a key. Times are Unix time in milliseconds; `null` for never. */
export interface KeyListing {
  readonly id: string;
  /** First and last characters of the key. */
  readonly masked: string;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Running instances write it with a delay of some seconds. */
  readonly lastUsedAt: number | null;
}

/** All keys, oldest first. */
export async function listKeys(manager: EntityManager): Promise<KeyListing[]> {
  return (await oldestFirst(manager).getMany()).map(toListing);
}

/** Up to `limit` keys of an account, oldest first; only those after a key of the account where one is given. */
export async function listKeysOf(manager: EntityManager, accountId: number, limit: number, after?: ApiKey): Promise<KeyListing[]> {
  const page = oldestFirst(manager).where('key.accountId = :accountId', { accountId }).limit(limit);
  if (after !== undefined) {
    const { createdAt, id } = after;
    page.andWhere(`(key.createdAt > :createdAt OR (key.createdAt = :createdAt AND ${byBytes(manager, 'key.id')} > :id))`, { createdAt, id });
  }
  return (await page.getMany()).map(toListing);
}

/** Keys with their accounts; those of the same millisecond by their ids. */
function oldestFirst(manager: EntityManager) {
  return manager
    .createQueryBuilder(ApiKey, 'key')
    .innerJoinAndSelect('key.account', 'account')
    .orderBy('key.createdAt')
    .addOrderBy(byBytes(manager, 'key.id'));
}

/** @param key with its account */
export function toListing({ id, masked, account, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKey): KeyListing {
  return {
    id,
    masked,
    account: account.name,
    plan: account.plan,
    scopes: scopes.split(' '),
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  };
}
