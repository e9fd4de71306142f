const MINUTE_SECONDS = 60;
const FIRST_BAN_SECONDS = 60;

/**
 * What becomes of the requests of one client, by the rules of the service: a minute that begins with its first request,
 * and a ban for as many refusals within a minute as the minute has requests.
 * @param {{ readonly limit: number, readonly perMinute: number, readonly seconds: number, readonly waits: boolean }} client
 *   sends `perMinute` requests a minute; one that `waits` obeys Retry-After
 * @returns {Story}
 */
export function simulate({ limit, perMinute, seconds, waits }) {
  const story = /** @type {Story} */ ({
    perSecond: Array.from({ length: seconds }, () => ({ admitted: 0, limited: 0, banned: 0, remaining: limit })),
    windows: [],
    bans: [],
  });
  const interval = MINUTE_SECONDS / perMinute;
  let used = 0;
  let strikes = 0;
  let strikesStart = 0;
  for (let time = 0; time < seconds; time += interval) {
    // Sums of fractions end a little below the whole second.
    const second = Math.floor(time + 1e-6);
    const now = story.perSecond[second];
    if (now === undefined) break;
    const ban = story.bans.at(-1);
    if (ban !== undefined && second < ban.end) {
      now.banned += 1;
      if (waits) time = Math.max(time, ban.end - interval);
      continue;
    }
    const open = story.windows.at(-1);
    if (open === undefined || second >= open.end) {
      story.windows.push({ start: second, end: second + MINUTE_SECONDS });
      used = 0;
    }
    const window = /** @type {Span} */ (story.windows.at(-1));
    if (used < limit) {
      used += 1;
      now.admitted += 1;
      continue;
    }
    if (strikes === 0 || second - strikesStart >= MINUTE_SECONDS) {
      strikes = 0;
      strikesStart = second;
    }
    strikes += 1;
    if (strikes >= limit) {
      story.bans.push({ start: second, end: second + FIRST_BAN_SECONDS * 2 ** story.bans.length });
      strikes = 0;
      // The refusal that leads to a ban already says so.
      now.banned += 1;
    } else {
      now.limited += 1;
      if (waits) time = Math.max(time, window.end - interval);
    }
  }
  fillRemaining(story, limit);
  return story;
}

/**
 * @param {Story} story
 * @param {number} limit
 */
function fillRemaining({ perSecond, windows, bans }, limit) {
  let used = 0;
  for (const [second, now] of perSecond.entries()) {
    if (windows.some(({ start, end }) => second === start || second === end)) used = 0;
    used += now.admitted;
    const isBanned = bans.some(({ start, end }) => second >= start && second < end);
    now.remaining = isBanned ? 0 : limit - used;
  }
}

/**
 * @typedef {{ start: number, end: number }} Span in seconds
 * @typedef {{ admitted: number, limited: number, banned: number, remaining: number }} Second
 * @typedef {{ perSecond: Second[], windows: Span[], bans: Span[] }} Story
 */
