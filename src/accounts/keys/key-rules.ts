import { closest } from 'fastest-levenshtein';
import { insufficientScope } from '../../auth/unauthorized.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiError } from '../../http/errors/api-error.js';
import { listed } from '../../platform/errors/error-codes.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { invalid } from './key-options.js';

/* What a key can do with the keys of its account. `own` is the calling key. The checks throw what the client gets. */

/** Maximum number of active keys of an account over HTTP. The command line has no such limit. */
export const MOST_ACTIVE_KEYS = 100;

export function keyLimitReached(active: number): DomainError {
  const message = `The account has ${active} active API keys; the maximum is ${MOST_ACTIVE_KEYS}. Revoke one first.`;
  return new DomainError('api_key_limit_reached', message);
}

export function checkKnown(scopes: readonly string[], known: ReadonlySet<string>): void {
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown === undefined) return;
  const meant = closest(unknown, [...known]);
  throw invalid(`scopes must contain only known scopes: ${listed([...new Set([meant, ...known])], ', ', 50)}.`);
}

export function checkScopesWithin(own: ApiKey, scopes: readonly string[]): void {
  const lacking = scopes.filter((scope) => !own.scopes.includes(scope));
  if (lacking.length === 0) return;
  const message = `A key can grant only its own scopes. This key lacks ${listed(lacking, ', ')}.`;
  throw ApiError.of(insufficientScope(message, lacking));
}

/** A key that is handed out gets no more scopes. */
export function checkNarrower({ scopes: present }: ApiKey, scopes: readonly string[]): void {
  if (scopes.every((scope) => present.includes(scope))) return;
  throw invalid(`scopes must be among those of the key: ${present.join(', ')}. For other scopes, create a new key.`);
}

/**
 * The lifetime of a new key, in milliseconds: the requested one, or the remaining lifetime of the calling key; undefined for
 * a key without an expiry.
 */
export function lifetimeWithin(own: ApiKey, seconds: number | undefined, atMs: number): number | undefined {
  const askedMs = seconds === undefined ? undefined : seconds * 1000;
  if (own.expiresAt === null) return askedMs;
  const longestMs = own.expiresAt - atMs;
  if (askedMs === undefined || askedMs <= longestMs) return askedMs ?? longestMs;
  const reason = `because the calling key expires at ${rfc3339(own.expiresAt)}`;
  throw invalid(`expiresInSeconds must be at most ${Math.floor(longestMs / 1000)} or omitted, ${reason}.`);
}

export function checkNotEnded({ id, revokedAt, expiresAt }: ApiKey, atMs: number): void {
  if (revokedAt !== null) throw keyRevoked(id);
  if (expiresAt !== null && expiresAt <= atMs) throw retired(`The key ${id} has expired. Create a new key.`);
}

export function checkNotRetired(key: ApiKey, atMs: number): void {
  const { id, revokedAt, successorId, pausedAt } = key;
  if (revokedAt === null && successorId !== null)
    throw retired(`The key ${id} has a successor. Rotate ${successorId}, or create a new key.`);
  checkNotEnded(key, atMs);
  // Its successor would work.
  if (pausedAt !== null) throw retired(`The key ${id} is paused. Resume it first, or create a new key.`);
}

export const keyRevoked = (id: string) => retired(`The key ${id} was revoked. Create a new key.`);

const retired = (message: string) => new DomainError('api_key_retired', message);
