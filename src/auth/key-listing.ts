import type { EntityManager } from 'typeorm';
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
  const keys = await manager.find(ApiKey, { relations: { account: true }, order: { createdAt: 'ASC', id: 'ASC' } });
  return keys.map(({ id, masked, account, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
    id,
    masked,
    account: account.name,
    plan: account.plan,
    scopes: scopes.split(' '),
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  }));
}
