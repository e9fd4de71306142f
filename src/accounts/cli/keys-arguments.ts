import { InvalidArgumentError } from 'commander';
import { checkDuration, checkName, checkScopes, invalid } from '../keys/key-options.js';
import { SCOPES } from '../../auth/keys/scopes.js';
import { nearest } from '../../http/errors/client-names.js';
import { rfc3339 } from '../../platform/config/clock.js';

const UNITS_MS = new Map(Object.entries({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }));

export const scopes = (text: string) => checkScopes(text.split(',').map((scope) => scope.trim()));

/** Null for no name. */
export const keyName = (text: string) => (text === '' ? null : checkName(text));

/** @throws DomainError for a scope that the service itself does not have, unless such scopes are allowed */
export function checkKnownScopes(wanted: readonly string[], allowUnknown = false): void {
  const known: readonly string[] = SCOPES;
  const unknown = wanted.find((scope) => !known.includes(scope));
  if (unknown === undefined || allowUnknown) return;
  const meant = nearest(unknown, known);
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw invalid(
    `Unknown scope ${unknown}.${advice} The scopes are ${known.join(', ')}. For a scope of an extension, add --allow-unknown-scope.`,
  );
}

const integer = (pattern: RegExp, range: string) => (text: string) => {
  if (pattern.test(text)) return Number(text);
  throw new InvalidArgumentError(`It must be an integer ${range}.`);
};
export const limit = integer(/^[1-9][0-9]{0,14}$/, 'of at least 1');
export const until = (text: string) => {
  const untilMs = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : NaN;
  // The parser takes 30 February for 2 March.
  if (!Number.isNaN(untilMs) && rfc3339(untilMs).startsWith(text.slice(0, 10))) return untilMs;
  throw new InvalidArgumentError('It must be a UTC date such as 2026-12-01, or a time such as 2026-12-01T12:00:00Z.');
};

/** Unlike a mandatory option of commander, it does not hide an unknown one, which may be its misspelt name. */
export function required<T>(option: string, value: T | undefined): T {
  if (value === undefined) throw invalid(`error: required option '${option}' not specified`);
  return value;
}

export const dayCount = integer(/^([1-9]|[12][0-9]|30)$/, 'from 1 to 30');

/* In milliseconds. */
export const lifetime = (text: string) => checkDuration('lifetime', duration(text), 1);
export const overlap = (text: string) => checkDuration('overlap', duration(text), 0);

function duration(text: string): number {
  const [, count = '', unit = ''] = /^(0|[1-9][0-9]{0,9})([smhdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS.get(unit);
  if (unitMs === undefined) throw new InvalidArgumentError('It must be a duration such as 30s, 15m, 24h, 90d or 12w.');
  return Number(count) * unitMs;
}
