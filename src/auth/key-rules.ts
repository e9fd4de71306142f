import { KeysError } from './keys-error.js';
import { type CustomLimits, PLANS, type PlanName, type PlanTerms } from './plan.js';

/** Largest limit that an account can have; leaves sums of limits far below 2^53. */
export const MAX_LIMIT = 1_000_000_000;
/** Longest lifetime and longest overlap, in milliseconds: 100 years. */
export const MAX_DURATION_MS = 36_525 * 86_400_000;

/** Letters, marks, digits, punctuation, symbols and spaces: nothing that a terminal would act on. */
const ACCOUNT_NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;
/** Also keeps scopes fit for a quoted string in WWW-Authenticate. */
const SCOPE = /^[a-z0-9_-]+:[a-z0-9_-]+$/;

/** @throws KeysError unless `name` can be an account's name. */
export function checkAccountName(name: string): string {
  if (ACCOUNT_NAME.test(name) && name.trim() === name) return name;
  throw new KeysError('An account name is 1 to 100 printable characters, without spaces at its ends.');
}

/**
 * Puts a plan and its numbers together: Enterprise needs both, the other plans take none.
 * @throws KeysError when they don't fit.
 */
export function planTerms(plan: PlanName, limits: CustomLimits): PlanTerms {
  const { perMinute, perDay } = limits;
  if (PLANS[plan] !== undefined) {
    if (perMinute === undefined && perDay === undefined) return { plan, perMinute: null, perDay: null };
    throw new KeysError(`The plan ${plan} has limits of its own; only enterprise takes limits per minute and per day.`);
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new KeysError(`The plan ${plan} needs both a limit per minute and a limit per day.`);
  }
  if (!isLimit(perMinute) || !isLimit(perDay)) throw new KeysError(`Limits are integers from 1 to ${MAX_LIMIT}.`);
  if (perDay < perMinute) throw new KeysError('The limit per day must not be below the limit per minute.');
  return { plan, perMinute, perDay };
}

/** @throws KeysError unless there is at least one scope and each has the form `resource:action`. */
export function checkScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) throw new KeysError('A key needs at least one scope.');
  for (const scope of scopes) {
    if (!SCOPE.test(scope)) throw new KeysError(`"${scope}" is not a scope; scopes look like "pets:read".`);
  }
  return [...new Set(scopes)];
}

/** @throws KeysError unless `durationMs` is a whole number of milliseconds from `leastMs` to 100 years. */
export function checkDuration(what: string, durationMs: number, leastMs: number): number {
  if (Number.isSafeInteger(durationMs) && durationMs >= leastMs && durationMs <= MAX_DURATION_MS) return durationMs;
  throw new KeysError(`The ${what} must be ${leastMs > 0 ? 'above zero' : 'zero or more'} and at most 100 years.`);
}

function isLimit(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT;
}
