import { svg } from '../site/elements.js';

const HEIGHT = 220;
const TOP = 16;
const BOTTOM = 28;
const LEFT = 60;
const RIGHT = 8;
/** Share of the room of a day that its bar takes. */
const BAR = 0.74;
/** In pixels, so that a few errors among many requests can be seen. */
const LEAST_HEIGHT = 2;
/** In pixels, between two dates below the axis. */
const DATE_WIDTH = 64;

/** What can become of a request, from the bottom of a bar to its top. */
export const OUTCOMES = /** @type {const} */ (['admitted', 'client_error', 'limited', 'banned', 'server_error']);

/**
 * Draws a bar for each day, with a part for each outcome.
 * @param {readonly Day[]} days
 * @param {number} width in pixels, so that text is as large on a phone as elsewhere
 */
export function drawHistory(days, width) {
  const most = roundUp(Math.max(...days.map(({ total }) => total)));
  const floor = HEIGHT - BOTTOM;
  const room = (width - LEFT - RIGHT) / days.length;
  const height = (/** @type {number} */ requests) => (requests / most) * (floor - TOP);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, 'aria-hidden': 'true' });
  for (const requests of [most, most / 2, 0]) {
    const y = floor - height(requests);
    picture.append(
      svg('path', { class: requests === 0 ? 'axis' : 'grid', d: `M${LEFT} ${y}H${width - RIGHT}` }),
      svg('text', { x: LEFT - 8, y: y + 4, 'text-anchor': 'end' }, requests.toLocaleString('en')),
    );
  }
  const step = Math.ceil(DATE_WIDTH / room);
  for (const [index, day] of days.entries()) {
    const x = LEFT + index * room;
    picture.append(drawBar(day, x + (room * (1 - BAR)) / 2, room * BAR, floor, height));
    // From the last day on, which is today. Its date would be wider than the room.
    const age = days.length - 1 - index;
    if (age % step === 0 && index * room > DATE_WIDTH / 4)
      picture.append(
        age === 0
          ? svg('text', { x: width, y: floor + 20, 'text-anchor': 'end' }, shortDate(day.start))
          : svg('text', { x: x + room / 2, y: floor + 20, 'text-anchor': 'middle' }, shortDate(day.start)),
      );
  }
  return picture;
}

/**
 * @param {Day} day
 * @param {number} x
 * @param {number} width
 * @param {number} floor
 * @param {(requests: number) => number} height
 */
function drawBar(day, x, width, floor, height) {
  const bar = svg('g', {}, svg('title', {}, `${shortDate(day.start)}: ${describeRequests(day.total, day.requests)}`));
  let y = floor;
  for (const outcome of OUTCOMES) {
    if (day.requests[outcome] === 0) continue;
    const part = Math.max(LEAST_HEIGHT, height(day.requests[outcome]));
    y -= part;
    bar.append(svg('rect', { class: outcome, x, y, width, height: part }));
  }
  return bar;
}

/**
 * The number of requests and of their outcomes in words.
 * @param {number} total
 * @param {Record<Outcome, number>} requests
 */
export function describeRequests(total, requests) {
  const parts = OUTCOMES.flatMap((outcome) =>
    requests[outcome] === 0 ? [] : [`${NAMES[outcome]}: ${requests[outcome].toLocaleString('en')}`],
  );
  const words = `${total.toLocaleString('en')} ${total === 1 ? 'request' : 'requests'}`;
  return parts.length === 0 ? words : `${words} (${parts.join(', ')})`;
}

/** Names of the outcomes for people. */
export const NAMES = {
  admitted: 'admitted',
  client_error: 'client errors',
  limited: 'over a limit',
  banned: 'during a ban',
  server_error: 'server errors',
};

/**
 * An even number of one or two digits and zeros, for the top of the axis.
 * @param {number} requests
 */
function roundUp(requests) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, requests))));
  const steps = [1, 2, 4, 6, 8, 10].map((step) => step * unit);
  return Math.max(2, steps.find((step) => step >= requests) ?? requests);
}

/** @param {string} time of the start of a UTC day */
export function shortDate(time) {
  return new Date(time).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/**
 * @typedef {(typeof OUTCOMES)[number]} Outcome
 * @typedef {{ start: string, total: number, requests: Record<Outcome, number> }} Day
 */
