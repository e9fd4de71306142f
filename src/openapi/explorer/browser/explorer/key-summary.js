import { localTime } from '../site/local-time.js';

/**
 * A list of what the service says about a key.
 * @param {React} react
 * @param {import('./key-usage.js').Usage} usage
 */
export function keySummary({ createElement }, { account, plan, key, minute, day, bannedUntil }) {
  /** @type {(readonly [term: string, details: ReactNode])[]} */
  const entries = [
    ['Account', account],
    ['Plan', planName({ plan })],
  ];
  if (key !== undefined)
    entries.push(
      ['Key', key.name === undefined ? key.id : `${key.name} (${key.id})`],
      ['Scopes', key.scopes.length === 0 ? 'none' : key.scopes.join(', ')],
      ['Expires', key.expiresAt === undefined ? 'never' : dateAndTime(key.expiresAt)],
    );
  entries.push(['This minute', left(minute)], ['This day', left(day)]);
  if (bannedUntil !== undefined) entries.push(['Banned', `until ${localTime(bannedUntil)}`]);
  return createElement(
    'dl',
    { className: 'key-summary' },
    ...entries.flatMap(([term, details]) => [createElement('dt', null, term), createElement('dd', null, details)]),
  );
}

/** @param {Pick<import('./key-usage.js').Usage, 'plan'>} usage */
export function planName({ plan }) {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}

/** @param {import('./key-usage.js').UsageWindow} window */
function left({ limit, remaining, resetsAt }) {
  const requests = `${remaining.toLocaleString()} of ${limit.toLocaleString()} requests left`;
  // A minute begins with its first request.
  return remaining === limit ? requests : `${requests} until ${localTime(resetsAt)}`;
}

/** @param {string} time in RFC 3339 */
function dateAndTime(time) {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'long' });
}
