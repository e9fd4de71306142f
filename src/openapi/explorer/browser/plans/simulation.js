import { BanRecord } from '../rate-limit/windows/ban-record.js';
import { DAY_SECONDS, MINUTE_SECONDS, Usage } from '../rate-limit/windows/usage.js';

/** The day begins at time 0. No bans were lifted. */
const LIFTED_AT_MS = -Infinity;

/**
 * What becomes of the requests of one client in a UTC day, from its start on, by the rules of the service.
 * @param {Client} client
 * @returns {Story}
 */
export function simulate({ perMinute, perDay, pace, waits, seconds }) {
  const limits = { perMinute, perDay };
  const usage = new Usage();
  const bans = new BanRecord();
  const story = /** @type {Story} */ ({
    perSecond: Array.from({ length: seconds }, () => ({ admitted: 0, limited: 0, banned: 0, remaining: perMinute })),
    windows: [],
    bans: [],
    admitted: 0,
  });
  let shownUntil = 0;
  const showUntil = (/** @type {number} */ end) => {
    for (; shownUntil < Math.min(end, seconds); shownUntil += 1) {
      const isBanned = bans.activeUntil(LIFTED_AT_MS, shownUntil) > 0;
      const now = story.perSecond[shownUntil];
      if (now !== undefined) now.remaining = isBanned ? 0 : usage.minute.report(perMinute, shownUntil).remaining;
    }
  };
  /** When the client last began to send at its pace, and its requests since then. */
  let start = 0;
  let sent = 0;
  for (let second = 0; second < DAY_SECONDS; second = Math.floor(start + (sent * MINUTE_SECONDS) / pace)) {
    showUntil(second);
    sent += 1;
    const now = story.perSecond[second] ?? { admitted: 0, limited: 0, banned: 0 };
    let bannedUntil = bans.activeUntil(LIFTED_AT_MS, second);
    if (bannedUntil > 0) {
      now.banned += 1;
      // Nobody sees the other refusals of this ban.
      if (second >= seconds) sent = Math.max(sent, Math.ceil(((bannedUntil - start) * pace) / MINUTE_SECONDS));
      if (waits) [start, sent] = [bannedUntil, 0];
      continue;
    }
    // The rest of the day is refused, and a ban needs more refusals in a minute.
    if (second >= seconds && story.usedUpAt !== undefined && pace < perMinute) break;
    const { outcome, resetSeconds } = usage.take(limits, second);
    if (outcome === 'admitted') {
      if (usage.minute.used === 1) story.windows.push({ start: second, end: second + MINUTE_SECONDS });
      now.admitted += 1;
      story.admitted += 1;
      if (story.admitted === perDay) story.usedUpAt = second;
      continue;
    }
    bannedUntil = bans.strike(perMinute, LIFTED_AT_MS, second);
    if (bannedUntil > 0) story.bans.push({ start: second, end: bannedUntil });
    // The refusal that leads to a ban already says so.
    now[bannedUntil > 0 ? 'banned' : 'limited'] += 1;
    if (waits) [start, sent] = [bannedUntil || resetSeconds, 0];
  }
  showUntil(seconds);
  return story;
}

/**
 * @typedef {object} Client
 * @property {number} perMinute requests that its plan has per minute
 * @property {number} perDay requests that its plan has per day
 * @property {number} pace requests that it sends per minute
 * @property {boolean} waits as long as Retry-After says
 * @property {number} seconds of the day to tell in detail
 *
 * @typedef {{ start: number, end: number }} Span in seconds
 * @typedef {{ admitted: number, limited: number, banned: number, remaining: number }} Second
 *
 * @typedef {object} Story
 * @property {Second[]} perSecond of the first seconds
 * @property {Span[]} windows of the whole day
 * @property {Span[]} bans of the whole day
 * @property {number} admitted requests of the whole day
 * @property {number} [usedUpAt] the second of the last request of the day; missing if some are left
 */
