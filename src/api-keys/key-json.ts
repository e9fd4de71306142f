import type { PlanName } from '../accounts/index.js';
import type { IssuedKey, KeyListing, RotatedKey } from './key-listing.js';

/** The JSON of a key, over HTTP and with `--json`. Times are RFC 3339. Fields without a value are omitted. */
export interface KeyJson {
  readonly id: string;
  readonly name?: string;
  readonly masked: string;
  readonly account: string;
  readonly plan: PlanName;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

export interface IssuedKeyJson extends KeyJson {
  readonly key: string;
}

export interface RotatedKeyJson extends IssuedKeyJson {
  readonly replaces: string;
  readonly replacedExpiresAt: string;
}

export function keyJson(key: Omit<KeyListing, 'accountId'>): KeyJson {
  const { id, name, masked, account, plan, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return {
    id,
    ...(name === null ? {} : { name }),
    masked,
    account,
    plan,
    scopes,
    createdAt: rfc3339(createdAt),
    ...(expiresAt === null ? {} : { expiresAt: rfc3339(expiresAt) }),
    ...(revokedAt === null ? {} : { revokedAt: rfc3339(revokedAt) }),
    ...(lastUsedAt === null ? {} : { lastUsedAt: rfc3339(lastUsedAt) }),
  };
}

export function issuedKeyJson(issued: IssuedKey): IssuedKeyJson {
  const { id, ...rest } = keyJson({ ...issued, revokedAt: null, lastUsedAt: null });
  return { id, key: issued.key, ...rest };
}

export function rotatedKeyJson(rotated: RotatedKey): RotatedKeyJson {
  const { replaces, replacedExpiresAt } = rotated;
  return { ...issuedKeyJson(rotated), replaces, replacedExpiresAt: rfc3339(replacedExpiresAt) };
}

function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
