import { InvalidArgumentError } from 'commander';
import { PLAN_NAMES, type PlanName } from '../plan.js';
import { checkDuration, checkScopes } from '../keys/key-options.js';

const UNIT_MS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Parses an option that can be given once; commander would use the last value. */
export function once<Value>(parse: (text: string) => Value) {
  return (text: string, earlier: Value | undefined): Value => {
    if (earlier !== undefined) throw new InvalidArgumentError('It is given more than once.');
    return parse(text);
  };
}

export function scopes(text: string): string[] {
  return checkScopes(text.split(',').map((scope) => scope.trim()));
}

export function planName(text: string): PlanName {
  const plan = PLAN_NAMES.find((name) => name === text);
  if (plan === undefined) throw new InvalidArgumentError(`Plans: ${PLAN_NAMES.join(', ')}.`);
  return plan;
}

export function limit(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an integer of at least 1.');
}

/** In milliseconds. */
export function lifetime(text: string): number {
  return checkDuration('lifetime', duration(text), 1);
}

/** In milliseconds. */
export function overlap(text: string): number {
  return checkDuration('overlap', duration(text), 0);
}

function duration(text: string): number {
  const [, count = '', unit = ''] = /^(0|[1-9][0-9]{0,9})([smhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS.get(unit);
  if (unitMs === undefined) throw new InvalidArgumentError('It must be a duration such as 30s, 15m, 24h, 90d or 12w.');
  return Number(count) * unitMs;
}
