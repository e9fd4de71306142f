import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { insufficientScope } from '../../auth/bearer-token.js';
import { ApiError, listed } from '../../http/errors/problem.js';
import { rfc3339 } from '../../platform/config/clock.js';
import { DomainError } from '../../platform/errors/domain-error.js';

/*
 * What a key can do with the keys of its account. `own` is the calling key.
 */

/** Maximum number of active keys of an account over HTTP. The command line has no such limit. */
export const MOST_ACTIVE_KEYS = 100;

export function keyLimitReached(active: number): DomainError {
  return new DomainError(
    'api_key_limit_reached',
    `The account has ${active} active API keys; the maximum is ${MOST_ACTIVE_KEYS}. Revoke one first.`,
  );
}

/** @throws DomainError `validation_failed` if a scope is not among those of the service and its extensions */
export function checkKnown(scopes: readonly string[], known: ReadonlySet<string>): void {
  if (scopes.every((scope) => known.has(scope))) return;
  throw new DomainError('validation_failed', `scopes must have only known scopes: ${listed([...known], ', ', 50)}.`);
}

/** @throws ApiError `insufficient_scope` if the calling key lacks one of the scopes */
export function checkScopesWithin(own: ApiKey, scopes: readonly string[]): void {
  const ownScopes = own.scopes.split(' ');
  const lacking = scopes.filter((scope) => !ownScopes.includes(scope));
  if (lacking.length === 0) return;
  throw ApiError.of(
    insufficientScope(`A key can pass on only its own scopes. This key lacks ${listed(lacking, ', ')}.`, lacking),
  );
}

/** @throws DomainError `validation_failed` if a key lacks one of the scopes: a key that is handed out gets no more */
export function checkNarrower(key: ApiKey, scopes: readonly string[]): void {
  const present = key.scopes.split(' ');
  if (scopes.every((scope) => present.includes(scope))) return;
  throw new DomainError(
    'validation_failed',
    `scopes must be among those of the key: ${present.join(', ')}. For other scopes, create a new key.`,
  );
}

/**
 * The lifetime of a new key, in milliseconds: the requested one, or the remaining lifetime of the calling key; undefined for
 * a key without an expiry.
 * @param asked in seconds
 * @throws DomainError `validation_failed` if the key would outlive the calling key
 */
export function lifetimeWithin({ expiresAt }: ApiKey, asked: number | undefined, atMs: number): number | undefined {
  const askedMs = asked === undefined ? undefined : asked * 1000;
  if (expiresAt === null) return askedMs;
  const longestMs = expiresAt - atMs;
  if (askedMs === undefined || askedMs <= longestMs) return askedMs ?? longestMs;
  const longest = Math.floor(longestMs / 1000);
  const reason = `because the calling key expires at ${rfc3339(expiresAt)}`;
  throw new DomainError('validation_failed', `expiresInSeconds must be at most ${longest} or omitted, ${reason}.`);
}

/** @throws DomainError `api_key_retired` if a key was revoked or has expired at a time, in Unix time in milliseconds */
export function checkNotEnded({ id, revokedAt, expiresAt }: ApiKey, atMs: number): void {
  if (revokedAt !== null) throw keyRevoked(id);
  if (expiresAt !== null && expiresAt <= atMs) throw retired(`The key ${id} has expired. Create a new key.`);
}

/** @throws DomainError `api_key_retired` if a key cannot be rotated at a time, in Unix time in milliseconds */
export function checkNotRetired(key: ApiKey, atMs: number): void {
  const { id, revokedAt, successorId, pausedAt } = key;
  if (revokedAt === null && successorId !== null)
    throw retired(`The key ${id} has a successor. Rotate ${successorId}, or create a new key.`);
  checkNotEnded(key, atMs);
  // Its successor would work.
  if (pausedAt !== null) throw retired(`The key ${id} is paused. Resume it first, or create a new key.`);
}

export function keyRevoked(id: string): DomainError {
  return retired(`The key ${id} was revoked. Create a new key.`);
}

function retired(message: string): DomainError {
  return new DomainError('api_key_retired', message);
}
