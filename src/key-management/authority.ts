import { ApiError, DomainError } from '../errors/index.js';
import type { Account } from '../accounts/index.js';
import { insufficientScope } from '../auth/index.js';

/** The account whose keys the calling key manages, and what it can give. */
export interface Authority {
  readonly account: Account;
  readonly scopes: ReadonlySet<string>;
  /** When the calling key expires: Unix time in milliseconds, Infinity for never. */
  readonly expiresAtMs: number;
}

/** @throws ApiError `insufficient_scope` if the calling key lacks one of the scopes */
export function checkScopesWithin({ scopes: own }: Authority, scopes: readonly string[]): void {
  const lacking = scopes.filter((scope) => !own.has(scope));
  if (lacking.length === 0) return;
  throw ApiError.of(
    insufficientScope(`A key can pass on only its own scopes. This key lacks ${lacking.join(', ')}.`, lacking),
  );
}

/**
 * The lifetime of a new key, in milliseconds: the requested one, or the remaining lifetime of the calling key; undefined for
 * a key without an expiry.
 * @throws DomainError `validation_failed` if the key would outlive the calling key
 */
export function lifetimeWithin(
  { expiresAtMs }: Authority,
  askedMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (expiresAtMs === Infinity) return askedMs;
  const longestMs = expiresAtMs - nowMs;
  if (askedMs === undefined || askedMs <= longestMs) return askedMs ?? longestMs;
  const longest = Math.floor(longestMs / 1000);
  const reason = `because the calling key expires at ${new Date(expiresAtMs).toISOString()}`;
  throw new DomainError('validation_failed', `expiresInSeconds must be at most ${longest} or omitted, ${reason}.`);
}
