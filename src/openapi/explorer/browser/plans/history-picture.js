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
/** In pixels, between two labels below the axis. */
const DATE_WIDTH = 64;

/**
 * Draws a bar for each interval, whose parts lie on each other.
 * @param {readonly Bar[]} bars
 * @param {readonly Part[]} parts
 * @param {number} width in pixels, so that text is as large on a phone as elsewhere
 */
export function drawHistory(bars, parts, width) {
  const most = roundUp(Math.max(...bars.map(({ total }) => total)));
  const floor = HEIGHT - BOTTOM;
  const room = (width - LEFT - RIGHT) / bars.length;
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
  for (const [index, bar] of bars.entries()) {
    const x = LEFT + index * room;
    picture.append(drawBar(bar, parts, x + (room * (1 - BAR)) / 2, room * BAR, floor, height));
    // From the last interval on, which is the current one. Its label would be wider than the room.
    const age = bars.length - 1 - index;
    // Of an hour, only the time.
    const label = bar.name.split(', ').at(-1) ?? '';
    if (age % step === 0 && index * room > DATE_WIDTH / 4)
      picture.append(
        age === 0
          ? svg('text', { x: width, y: floor + 20, 'text-anchor': 'end' }, label)
          : svg('text', { x: x + room / 2, y: floor + 20, 'text-anchor': 'middle' }, label),
      );
  }
  return picture;
}

/**
 * @param {Bar} bar
 * @param {readonly Part[]} parts
 * @param {number} x
 * @param {number} width
 * @param {number} floor
 * @param {(requests: number) => number} height
 */
function drawBar({ name, total, requests }, parts, x, width, floor, height) {
  const bar = svg('g', {}, svg('title', {}, `${name}: ${describeRequests(total, requests, parts)}`));
  let y = floor;
  for (const [index, { kind }] of parts.entries()) {
    const count = requests[index] ?? 0;
    if (count === 0) continue;
    const part = Math.max(LEAST_HEIGHT, height(count));
    y -= part;
    bar.append(svg('rect', { class: kind, x, y, width, height: part }));
  }
  return bar;
}

/**
 * The number of requests and of their parts in words.
 * @param {number} total
 * @param {readonly number[]} requests
 * @param {readonly Part[]} parts
 */
export function describeRequests(total, requests, parts) {
  const listed = parts.flatMap(({ name }, index) => {
    const count = requests[index] ?? 0;
    return count === 0 ? [] : [`${name}: ${count.toLocaleString('en')}`];
  });
  const words = `${total.toLocaleString('en')} ${total === 1 ? 'request' : 'requests'}`;
  return listed.length === 0 ? words : `${words} (${listed.join(', ')})`;
}

/**
 * An even number of one or two digits and zeros, for the top of the axis.
 * @param {number} requests
 */
function roundUp(requests) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, requests))));
  const steps = [1, 2, 4, 6, 8, 10].map((step) => step * unit);
  return Math.max(2, steps.find((step) => step >= requests) ?? requests);
}

/**
 * @typedef {{ kind: string, name: string }} Part with its class in the styles, and its name for people
 * @typedef {{ name: string, total: number, requests: readonly number[] }} Bar with the requests of each part
 */
