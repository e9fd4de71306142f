import { DomainError } from '../errors/index.js';
import type { Account } from '../accounts/index.js';
import { insufficientScope } from '../auth/index.js';

/** Whose keys a calling key manages, and what it can hand out. */
export interface Authority {
  readonly account: Account;
  readonly scopes: ReadonlySet<string>;
  /** When the calling key expires: Unix time in milliseconds, Infinity for never. */
  readonly expiresAtMs: number;
}

/** @throws ApiError insufficient_scope where the calling key lacks one of the scopes */
export function checkScopesWithin({ scopes: own }: Authority, scopes: readonly string[]): void {
  const lacking = scopes.filter((scope) => !own.has(scope));
  if (lacking.length === 0) return;
  throw insufficientScope(`A key can pass on only its own scopes. This key lacks ${lacking.join(', ')}.`, lacking);
}

/**
 * The lifetime of a key that does not outlive the calling one, in milliseconds: as asked for, or by default the
 * longest; undefined for a key without an end.
 * @throws DomainError validation_failed where a longer one is asked for
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
