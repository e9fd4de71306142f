import type { Limits, PlanName } from '../accounts/index.js';
import type { ApiKey } from './api-key.entity.js';

/** The public fields of a key. Times are Unix time in milliseconds; `null` for never. */
export interface KeyListing {
  readonly id: string;
  readonly name: string | null;
  /** First and last characters of the key. */
  readonly masked: string;
  readonly accountId: number;
  /** Name of the account. */
  readonly account: string;
  readonly plan: PlanName;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Written with a delay of some seconds. */
  readonly lastUsedAt: number | null;
}

/** A new key: the only time that it is known in full. */
export interface IssuedKey extends KeyListing {
  /** The secret, `psk_live_...` or `psk_test_...`. */
  readonly key: string;
  readonly limits: Limits;
}

/** The successor of a key. */
export interface RotatedKey extends IssuedKey {
  /** Id of the old key. */
  readonly replaces: string;
  /** When the old key stops working: Unix time in milliseconds. */
  readonly replacedExpiresAt: number;
}

/** @param key with its account */
export function toListing(key: ApiKey): KeyListing {
  const { id, name, masked, accountId, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const { name: account, plan } = key.account;
  const scopes = key.scopes.split(' ');
  return { id, name, masked, accountId, account, plan, scopes, createdAt, expiresAt, revokedAt, lastUsedAt };
}
