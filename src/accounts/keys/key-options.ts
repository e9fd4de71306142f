import type { AuditAction } from '../../auth/keys/audit-record.entity.js';
import { type CustomLimits, InvalidOperationError, type PlanName } from '../../auth/keys/plan.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { isScope } from '../../auth/keys/scopes.js';

/** Longest lifetime and longest overlap, in milliseconds: 100 years. */
export const MAX_DURATION_MS = 36_525 * 86_400_000;

/** In characters. */
export const MAX_NAME_LENGTH = 100;

/** Nothing that a terminal would interpret, and something visible. */
const NAME = /^(?=[^]*[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u;

/** What a new key can be given. */
export interface KeyOptions {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds from now; never by default. */
  readonly expiresInMs?: number | undefined;
}

/** A key to be created; without scopes it gets every scope except `keys:manage`. */
export interface NewKey extends KeyOptions, CustomLimits {
  /** Name of the account; an unknown name creates one. */
  readonly account: string;
  /** Of a new account; an account that exists must be on it. */
  readonly plan?: PlanName | undefined;
}

/** @throws InvalidOperationError unless it can be the name of a key */
export function checkName(name: string): string {
  if ([...name].length <= MAX_NAME_LENGTH && NAME.test(name)) return name;
  throw new InvalidOperationError(
    'The name of a key has 1 to 100 characters, not only white space, without control characters, line separators or bidirectional controls.',
  );
}

/** @throws InvalidOperationError unless there is at least one scope and each has the form `resource:action`. */
export function checkScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) throw new InvalidOperationError('A key needs at least one scope.');
  // Not quoted: somebody may have put a key in its place.
  if (!scopes.every(isScope))
    throw new InvalidOperationError('One of these is not a scope; scopes look like "pets:read".');
  return [...new Set(scopes)];
}

/** @throws InvalidOperationError unless `durationMs` is a whole number of milliseconds from `leastMs` to 100 years. */
export function checkDuration(what: string, durationMs: number, leastMs: number): number {
  if (Number.isSafeInteger(durationMs) && durationMs >= leastMs && durationMs <= MAX_DURATION_MS) return durationMs;
  throw new InvalidOperationError(
    `The ${what} must be ${leastMs > 0 ? 'above zero' : 'zero or more'} and at most 100 years.`,
  );
}

/** Changes of a key. What is undefined stays as it is. */
export interface KeyPatch {
  /** Null removes it. */
  readonly name?: string | null | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** A paused key is refused until it is resumed. */
  readonly paused?: boolean | undefined;
}

type AuditedChange = [columns: Partial<ApiKey>, action: AuditAction, detail: object];

/**
 * The changes that a patch makes to a key, none for what it is already, with their audit records.
 * @throws InvalidOperationError for an invalid name or scope
 */
export function changesOf(key: ApiKey, { name, scopes, paused }: KeyPatch, atMs: number): AuditedChange[] {
  const changes: AuditedChange[] = [];
  if (typeof name === 'string') checkName(name);
  if (name !== undefined && name !== key.name) changes.push([{ name }, 'key.renamed', { from: key.name, to: name }]);
  const from = key.scopes.split(' ');
  const to = scopes === undefined ? from : checkScopes(scopes);
  if (from.toSorted().join() !== to.toSorted().join())
    changes.push([{ scopes: to.join(' ') }, 'key.scopes_changed', { from, to }]);
  if (paused === true && key.pausedAt === null) changes.push([{ pausedAt: atMs }, 'key.paused', {}]);
  if (paused === false && key.pausedAt !== null) changes.push([{ pausedAt: null }, 'key.resumed', {}]);
  return changes;
}
