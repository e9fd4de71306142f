import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import type { AuditAction } from '../../auth/keys/audit-record.entity.js';
import { type CustomLimits, type PlanName, PLANS, type PlanTerms } from '../../auth/keys/plan.js';
import { isScope } from '../../auth/keys/scopes.js';
import { quoteName } from '../../http/errors/client-names.js';
import { DAY_MS } from '../../platform/config/clock.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { ApiKeyChange } from './key-requests.dto.js';

/** Longest lifetime and longest overlap, in milliseconds: 100 years. */
export const MAX_DURATION_MS = 36_525 * DAY_MS;
export const MAX_NAME_LENGTH = 100;
/** Largest limit of an account; keeps sums of limits far below 2^53. */
export const MAX_LIMIT = 1_000_000_000;

/** Nothing that a terminal would interpret, and something visible. */
const NAME = /^(?=[^]*[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u;
/** Letters, marks, digits, punctuation, symbols and spaces; no control characters, which a terminal would interpret. */
const ACCOUNT_NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;

/** What a new key can be given. */
export interface KeyOptions {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds from now; never by default. */
  readonly expiresInMs?: number | undefined;
}

/** A key to be created; without scopes it gets every scope that need not be requested. */
export interface NewKey extends KeyOptions, CustomLimits {
  /** Name of the account; an unknown name creates one. */
  readonly account: string;
  /** Of a new account; an account that exists must be on it. */
  readonly plan?: PlanName | undefined;
}

/* The checks throw DomainError `validation_failed`, with a message that tells the operator what would be valid. */

export function invalid(message: string): DomainError {
  return new DomainError('validation_failed', message);
}

/** Options that do not belong together, whatever is stored. */
export class InvalidOptions extends DomainError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}

export function checkAccountName(name: string): string {
  if (ACCOUNT_NAME.test(name) && name.trim() === name) return name;
  throw invalid('An account name is 1 to 100 printable characters, without leading or trailing spaces.');
}

/** Combines a plan with custom limits: Enterprise requires both, other plans accept none. */
export function planTerms(plan: PlanName, { perMinute, perDay }: CustomLimits): PlanTerms {
  if (PLANS[plan] !== undefined) {
    if (perMinute === undefined && perDay === undefined) return { plan, perMinute: null, perDay: null };
    throw new InvalidOptions(
      `The plan ${plan} has fixed limits; only enterprise accepts limits per minute and per day.`,
    );
  }
  if (perMinute === undefined || perDay === undefined)
    throw new InvalidOptions(`The plan ${plan} requires both a limit per minute and a limit per day.`);
  checkLimits(perMinute, perDay);
  return { plan, perMinute, perDay };
}

export function checkLimits(perMinute: number, perDay: number): void {
  if (![perMinute, perDay].every((limit) => Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new InvalidOptions(`Limits are integers from 1 to ${MAX_LIMIT}.`);
  if (perDay < perMinute) throw new InvalidOptions('The limit per day must not be below the limit per minute.');
}

export function checkName(name: string): string {
  if ([...name].length <= MAX_NAME_LENGTH && NAME.test(name)) return name;
  throw invalid(
    'The name of a key has 1 to 100 characters, at least one of them visible, and no control characters, line separators or bidirectional controls.',
  );
}

/** Accepts scopes that only an extension has. */
export function checkScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) throw invalid('A key needs at least one scope.');
  const bad = scopes.find((scope) => !isScope(scope));
  // Somebody may have put a key in its place.
  if (bad !== undefined)
    throw invalid(`${quoteName(bad) ?? 'One of these'} is not a scope; scopes look like "pets:read".`);
  return [...new Set(scopes)];
}

export function checkDuration(what: string, durationMs: number, leastMs: 0 | 1): number {
  if (Number.isSafeInteger(durationMs) && durationMs >= leastMs && durationMs <= MAX_DURATION_MS) return durationMs;
  throw invalid(`The ${what} must be ${leastMs > 0 ? 'above zero' : 'zero or more'} and at most 100 years.`);
}

type AuditedChange = [columns: Partial<ApiKey>, action: AuditAction, detail: object];

/** What changes of a key, nothing for what it is already, with their audit records. */
export function changesOf(key: ApiKey, { name, scopes, paused }: ApiKeyChange, atMs: number): AuditedChange[] {
  const changes: AuditedChange[] = [];
  if (typeof name === 'string') checkName(name);
  if (name !== undefined && name !== key.name) changes.push([{ name }, 'key.renamed', { from: key.name, to: name }]);
  const { scopes: from } = key;
  const to = scopes === undefined ? from : checkScopes(scopes);
  if (from.toSorted().join() !== to.toSorted().join())
    changes.push([{ scopes: to }, 'key.scopes_changed', { from, to }]);
  if (paused === true && key.pausedAt === null) changes.push([{ pausedAt: atMs }, 'key.paused', {}]);
  if (paused === false && key.pausedAt !== null) changes.push([{ pausedAt: null }, 'key.resumed', {}]);
  return changes;
}
