import type { Account } from './account.entity.js';

/** How many requests the keys of one account can make together. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plans with their limits; Enterprise limits are set per account. */
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
export type PlanTerms = Readonly<Pick<Account, 'plan' | 'perMinute' | 'perDay'>>;

/** Limits that hold instead of those of the plan for a time, in Unix time in milliseconds. Null for none. */
type OtherLimits = Readonly<Pick<Account, 'otherPerMinute' | 'otherPerDay' | 'otherUntil'>>;

export const NO_OTHER_LIMITS: OtherLimits = { otherPerMinute: null, otherPerDay: null, otherUntil: null };

/** The limits of an account at a time and, if they are not those of its plan, when they end, in milliseconds. */
export function limitsAt(terms: PlanTerms & OtherLimits, atMs: number): { limits: Limits; limitsEndAtMs?: number } {
  const { otherPerMinute: perMinute, otherPerDay: perDay, otherUntil } = terms;
  if (perMinute === null || perDay === null || otherUntil === null || otherUntil <= atMs)
    return { limits: limitsOf(terms) };
  return { limits: { perMinute, perDay }, limitsEndAtMs: otherUntil };
}

export function limitsOf({ plan, perMinute, perDay }: PlanTerms): Limits {
  const limits = PLANS[plan];
  if (limits !== undefined) return limits;
  if (perMinute === null || perDay === null) throw new TypeError(`An account on the plan ${plan} has no limits.`);
  return { perMinute, perDay };
}
