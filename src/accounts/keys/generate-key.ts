import { generateApiKey, generateKeyId, hashApiKey, type KeyKind, maskApiKey } from '../../auth/keys/api-key-format.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';

/** Stands for the lifetime of a key that does not expire. */
export const NO_EXPIRY = 0;

/** What a key gets from the request, or from the key that it replaces. */
export interface KeyGrants extends Pick<ApiKey, 'name' | 'scopes'> {
  readonly lifetimeMs: number;
}

/** The lifetime that a successor of a key gets, in milliseconds. Older versions of the service did not store it. */
export function lifetimeOf({ lifetimeMs, createdAt, expiresAt }: ApiKey): number {
  return lifetimeMs ?? (expiresAt === null ? NO_EXPIRY : Math.max(1, expiresAt - createdAt));
}

/**
 * A new key, and what is stored of it.
 * @param latestExpiryMs upper bound of the expiry, in Unix time in milliseconds
 */
export function generateKey(
  kind: KeyKind,
  { name, scopes, lifetimeMs }: KeyGrants,
  atMs: number,
  latestExpiryMs = Infinity,
) {
  const key = generateApiKey(kind);
  const expiryMs = Math.min(lifetimeMs === NO_EXPIRY ? Infinity : atMs + lifetimeMs, latestExpiryMs);
  const stored = {
    id: generateKeyId(),
    name,
    sha256: hashApiKey(key),
    masked: maskApiKey(key),
    scopes,
    createdAt: atMs,
    expiresAt: expiryMs === Infinity ? null : expiryMs,
    lifetimeMs,
    successorId: null,
    revokedAt: null,
    pausedAt: null,
    lastUsedAt: null,
    bansLiftedAt: null,
  };
  return { key, stored };
}
