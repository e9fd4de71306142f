const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const FIRST_BAN_SECONDS = 60;
const LONGEST_BAN_SECONDS = 3_600;

/**
 * What becomes of the requests of one client in a UTC day, from its start on, by the rules of the service: a minute that
 * begins with its first request, and a ban for as many refusals within a minute as the minute has requests.
 * @param {Client} client
 * @returns {Story}
 */
export function simulate({ perMinute, perDay, pace, waits, seconds }) {
  const story = /** @type {Story} */ ({
    perSecond: Array.from({ length: seconds }, () => ({ admitted: 0, limited: 0, banned: 0, remaining: perMinute })),
    windows: [],
    bans: [],
    admitted: 0,
  });
  let used = 0;
  let strikes = 0;
  let strikesStart = 0;
  /** When the client last began to send at its pace, and its requests since then. */
  let start = 0;
  let sent = 0;
  const wait = (/** @type {number} */ until) => {
    if (waits) [start, sent] = [until, 0];
  };
  for (let second = 0; second < DAY_SECONDS; second = Math.floor(start + (sent * MINUTE_SECONDS) / pace)) {
    sent += 1;
    const now = story.perSecond[second] ?? { admitted: 0, limited: 0, banned: 0 };
    const bannedUntil = story.bans.at(-1)?.end ?? 0;
    if (second < bannedUntil) {
      now.banned += 1;
      wait(bannedUntil);
      // Nobody sees the other refusals of this ban.
      if (second >= seconds) sent = Math.max(sent, Math.ceil(((bannedUntil - start) * pace) / MINUTE_SECONDS));
      continue;
    }
    const minuteEnd = story.windows.at(-1)?.end ?? 0;
    if (second >= minuteEnd) used = 0;
    if (used < perMinute && story.admitted < perDay) {
      if (used === 0) story.windows.push({ start: second, end: second + MINUTE_SECONDS });
      used += 1;
      now.admitted += 1;
      story.admitted += 1;
      if (story.admitted === perDay) story.usedUpAt = second;
      continue;
    }
    if (strikes === 0 || second - strikesStart >= MINUTE_SECONDS) {
      strikes = 0;
      strikesStart = second;
    }
    strikes += 1;
    if (strikes < perMinute) {
      now.limited += 1;
      wait(story.admitted < perDay ? minuteEnd : DAY_SECONDS);
    } else {
      const length = Math.min(LONGEST_BAN_SECONDS, FIRST_BAN_SECONDS * 2 ** story.bans.length);
      story.bans.push({ start: second, end: second + length });
      strikes = 0;
      // The refusal that leads to a ban already says so.
      now.banned += 1;
      wait(second + length);
    }
  }
  fillRemaining(story, perMinute);
  return story;
}

/**
 * @param {Story} story
 * @param {number} perMinute
 */
function fillRemaining({ perSecond, windows, bans }, perMinute) {
  let used = 0;
  for (const [second, now] of perSecond.entries()) {
    if (windows.some(({ start, end }) => second === start || second === end)) used = 0;
    used += now.admitted;
    const isBanned = bans.some(({ start, end }) => second >= start && second < end);
    now.remaining = isBanned ? 0 : perMinute - used;
  }
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
