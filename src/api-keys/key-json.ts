import type { IssuedKey, KeyListing, RotatedKey } from './key-listing.js';

/** The JSON of a key, over HTTP and with `--json`. Times are RFC 3339. Fields without a value are omitted. */
export function keyJson(key: KeyListing) {
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

export function issuedKeyJson(issued: IssuedKey) {
  const { id, ...rest } = keyJson(issued);
  return { id, key: issued.key, ...rest };
}

export function rotatedKeyJson(rotated: RotatedKey) {
  const { replaces, replacedExpiresAt } = rotated;
  return { ...issuedKeyJson(rotated), replaces, replacedExpiresAt: rfc3339(replacedExpiresAt) };
}

function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
