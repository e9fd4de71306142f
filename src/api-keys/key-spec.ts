import { InvalidOperationError } from '../accounts/index.js';
import type { ApiKey } from './api-key.entity.js';
import { isScope } from './scopes.js';

/** Longest lifetime and longest overlap, in milliseconds: 100 years. */
export const MAX_DURATION_MS = 36_525 * 86_400_000;

/** In characters. */
export const MAX_NAME_LENGTH = 100;

/** Nothing that a terminal would interpret, and not only white space. */
const NAME = /^(?=[^]*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u;

/** Stands for the lifetime of a key that never expires by itself. */
const WITHOUT_END = 0;

/** What may be asked of a new key. */
export interface KeyOptions {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds from now; never by default. */
  readonly expiresInMs?: number | undefined;
}

/** What a new key is to be like. */
export interface KeySpec {
  readonly name: string | null;
  readonly scopes: readonly string[];
  /** `null` for a key that never expires. */
  readonly lifetimeMs: number | null;
}

/** @throws InvalidOperationError where the options make no key */
export function keySpec({ name, scopes, expiresInMs }: KeyOptions, defaultScopes: readonly string[]): KeySpec {
  return {
    name: name === undefined ? null : checkName(name),
    scopes: checkScopes(scopes ?? defaultScopes),
    lifetimeMs: expiresInMs === undefined ? null : checkDuration('lifetime', expiresInMs, 1),
  };
}

/** What a key was made to be, which is what its successor gets. */
export function specOf(key: ApiKey): KeySpec {
  return { name: key.name, scopes: key.scopes.split(' '), lifetimeMs: lifetimeOf(key) };
}

/** The lifetime as it is kept in a column where null stands for unknown. */
export function storedLifetime({ lifetimeMs }: KeySpec): number {
  return lifetimeMs ?? WITHOUT_END;
}

function checkName(name: string): string {
  if ([...name].length <= MAX_NAME_LENGTH && NAME.test(name)) return name;
  throw new InvalidOperationError(
    'The name of a key has 1 to 100 characters, not only white space, without control characters, line separators or bidirectional controls.',
  );
}

/** @throws InvalidOperationError unless there is at least one scope and each has the form `resource:action`. */
export function checkScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) throw new InvalidOperationError('A key needs at least one scope.');
  for (const scope of scopes) {
    // Not quoted: somebody may have put a key in its place.
    if (!isScope(scope)) throw new InvalidOperationError('One of these is not a scope; scopes look like "pets:read".');
  }
  return [...new Set(scopes)];
}

/** @throws InvalidOperationError unless `durationMs` is a whole number of milliseconds from `leastMs` to 100 years. */
export function checkDuration(what: string, durationMs: number, leastMs: number): number {
  if (Number.isSafeInteger(durationMs) && durationMs >= leastMs && durationMs <= MAX_DURATION_MS) return durationMs;
  throw new InvalidOperationError(
    `The ${what} must be ${leastMs > 0 ? 'above zero' : 'zero or more'} and at most 100 years.`,
  );
}

function lifetimeOf({ lifetimeMs, createdAt, expiresAt }: ApiKey): number | null {
  if (lifetimeMs !== null) return lifetimeMs === WITHOUT_END ? null : lifetimeMs;
  return expiresAt === null ? null : Math.max(1, expiresAt - createdAt);
}
