import type { IssuedKey, KeyListing, RotatedKey } from '../auth/index.js';
import type { AccountKey, IssuedAccountKey, RotatedAccountKey } from './key.dto.js';

/** A key as it is answered: times as RFC 3339, and what there is not left out. */
export function toAccountKey({ id, masked, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }: KeyListing): AccountKey {
  return { id, masked, scopes, createdAt: time(createdAt), ...optional({ expiresAt, revokedAt, lastUsedAt }) };
}

export function toIssuedKey({ id, key, masked, scopes, createdAt, expiresAt }: IssuedKey): IssuedAccountKey {
  return { id, key, masked, scopes, createdAt: time(createdAt), ...optional({ expiresAt }) };
}

export function toRotatedKey(rotated: RotatedKey): RotatedAccountKey {
  return { ...toIssuedKey(rotated), replaces: rotated.replaces, replacedExpiresAt: time(rotated.replacedExpiresAt) };
}

function optional<Name extends string>(times: Readonly<Record<Name, number | null>>): Partial<Record<Name, string>> {
  const given = Object.entries<number | null>(times).filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries(given.map(([name, timeMs]) => [name, time(timeMs)])) as Partial<Record<Name, string>>;
}

function time(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
