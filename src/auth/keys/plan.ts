import { DomainError } from '../../platform/errors/domain-error.js';

/** How many requests the keys of one account can make together. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plans with their limits (specification, section 8); Enterprise limits are set per account. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: undefined,
} as const satisfies Record<string, Limits | undefined>;

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as PlanName[];

/** Limits as an operator gives them: both for Enterprise, neither for the other plans. */
export type CustomLimits = { readonly [Limit in keyof Limits]?: Limits[Limit] | undefined };

/** A plan, with limits if it has none of its own. */
export interface PlanTerms {
  readonly plan: PlanName;
  readonly perMinute: number | null;
  readonly perDay: number | null;
}

export function limitsOf({ plan, perMinute, perDay }: PlanTerms): Limits {
  const limits = PLANS[plan];
  if (limits !== undefined) return limits;
  if (perMinute === null || perDay === null) throw new TypeError(`An account on the plan ${plan} has no limits.`);
  return { perMinute, perDay };
}

/** An invalid operation on keys or accounts; `message` tells the operator why, and what would be valid. */
export class InvalidOperationError extends DomainError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}

/** Largest limit of an account; keeps sums of limits far below 2^53. */
export const MAX_LIMIT = 1_000_000_000;

/** Letters, marks, digits, punctuation, symbols and spaces; no control characters, which a terminal would interpret. */
const ACCOUNT_NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;

export const ACCOUNT_NAME_SCHEMA = {
  type: 'string',
  maxLength: 100,
  pattern: '^\\S(.*\\S)?$',
  example: 'acme',
} as const;

/** @throws InvalidOperationError if `name` is not a valid account name */
export function checkAccountName(name: string): string {
  if (ACCOUNT_NAME.test(name) && name.trim() === name) return name;
  throw new InvalidOperationError('An account name is 1 to 100 printable characters, without spaces at its ends.');
}

/**
 * Combines a plan with custom limits: Enterprise requires both, other plans accept none.
 * @throws InvalidOperationError if they do not match
 */
export function planTerms(plan: PlanName, limits: CustomLimits): PlanTerms {
  const { perMinute, perDay } = limits;
  if (PLANS[plan] !== undefined) {
    if (perMinute === undefined && perDay === undefined) return { plan, perMinute: null, perDay: null };
    throw new InvalidOperationError(
      `The plan ${plan} has fixed limits; only enterprise accepts limits per minute and per day.`,
    );
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new InvalidOperationError(`The plan ${plan} requires both a limit per minute and a limit per day.`);
  }
  if (![perMinute, perDay].every((limit) => Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new InvalidOperationError(`Limits are integers from 1 to ${MAX_LIMIT}.`);
  if (perDay < perMinute) throw new InvalidOperationError('The limit per day must not be below the limit per minute.');
  return { plan, perMinute, perDay };
}
