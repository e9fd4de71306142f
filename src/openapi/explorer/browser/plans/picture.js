import { svg } from '../site/elements.js';

const HEIGHT = 260;
const TOP = 34;
const BOTTOM = 62;
const LEFT = 48;
const RIGHT = 12;
const STRIP_HEIGHT = 12;

/**
 * Draws how many requests are left over time, with the windows, the bans, and what became of the requests of each second.
 * @param {import('./simulation.js').Story} story
 * @param {number} limit
 * @param {number} width in pixels, so that text is as large on a phone as elsewhere
 */
export function drawStory({ perSecond, windows, bans }, limit, width) {
  const seconds = perSecond.length;
  const isDrawn = (/** @type {{ start: number }} */ { start }) => start < seconds;
  const floor = HEIGHT - BOTTOM;
  const x = (/** @type {number} */ second) => LEFT + (Math.min(second, seconds) / seconds) * (width - LEFT - RIGHT);
  const y = (/** @type {number} */ remaining) => floor - (remaining / limit) * (floor - TOP);
  const step = x(1) - x(0);

  const picture = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, 'aria-hidden': 'true' });
  for (const [index, { start, end }] of windows.filter(isDrawn).entries())
    picture.append(
      svg('rect', {
        class: `window ${index % 2 === 0 ? 'even' : 'odd'}`,
        x: x(start),
        y: TOP,
        width: x(end) - x(start),
        height: floor - TOP,
      }),
      label(`minute ${index + 1}`, (x(start) + x(end)) / 2, 14, x(end) - x(start) > 54),
    );
  for (const { start, end } of bans.filter(isDrawn))
    picture.append(
      svg('rect', { class: 'ban', x: x(start), y: TOP, width: x(end) - x(start), height: floor - TOP }),
      label(`banned ${end - start} s`, (x(start) + x(end)) / 2, 29, x(end) - x(start) > 64, 'ban-label'),
    );

  let line = `M${x(0)} ${y(limit)}`;
  for (const [second, { remaining }] of perSecond.entries()) line += `V${y(remaining)}H${x(second + 1)}`;
  picture.append(
    svg('path', { class: 'area', d: `${line}V${floor}H${x(0)}Z` }),
    svg('path', { class: 'remaining', d: line }),
    svg('path', { class: 'axis', d: `M${LEFT} ${TOP}V${floor}H${width - RIGHT}` }),
    svg('text', { class: 'tick', x: LEFT - 6, y: TOP + 5, 'text-anchor': 'end' }, limit.toLocaleString('en')),
    svg('text', { class: 'tick', x: LEFT - 6, y: floor + 1, 'text-anchor': 'end' }, '0'),
    svg('text', { class: 'tick', x: LEFT - 6, y: (TOP + floor) / 2, 'text-anchor': 'end' }, 'left'),
  );

  for (const [second, { admitted, limited, banned }] of perSecond.entries()) {
    const outcome = banned > 0 ? 'banned' : limited > 0 ? 'limited' : admitted > 0 ? 'admitted' : undefined;
    if (outcome !== undefined)
      picture.append(
        svg('rect', { class: outcome, x: x(second), y: floor + 8, width: step + 0.3, height: STRIP_HEIGHT }),
      );
  }
  for (let second = 0; second <= seconds; second += 60)
    picture.append(
      svg(
        'text',
        {
          class: 'tick',
          x: x(second),
          y: floor + STRIP_HEIGHT + 26,
          'text-anchor': second === seconds ? 'end' : 'middle',
        },
        `${second / 60}:00`,
      ),
    );
  return picture;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {boolean} fits
 * @param {string} kind
 */
function label(text, x, y, fits, kind = 'window-label') {
  return svg('text', { class: kind, x, y, 'text-anchor': 'middle' }, fits ? text : '');
}

/**
 * The UTC day with the part of it that its requests last for, and the bans.
 * @param {import('./simulation.js').Story} story
 * @param {number} width in pixels
 */
export function drawDay({ usedUpAt, bans }, width) {
  const x = (/** @type {number} */ hour) => LEFT + (hour / 24) * (width - LEFT - RIGHT);
  const lasting = usedUpAt === undefined ? 24 : usedUpAt / 3_600;
  const picture = svg('svg', { viewBox: `0 0 ${width} 44`, width, height: 44, 'aria-hidden': 'true' });
  picture.append(
    svg('rect', { class: 'admitted', x: x(0), y: 4, width: Math.max(1, x(lasting) - x(0)), height: 14 }),
    svg('rect', { class: 'limited', x: x(lasting), y: 4, width: x(24) - x(lasting), height: 14 }),
    ...bans.map(({ start, end }) => {
      const [left, right] = [x(start / 3_600), x(Math.min(24, end / 3_600))];
      return svg('rect', { class: 'banned', x: left, y: 4, width: right - left, height: 14 });
    }),
    svg('text', { class: 'tick', x: LEFT - 6, y: 16, 'text-anchor': 'end' }, 'day'),
    ...[0, 6, 12, 18, 24].map((hour) =>
      svg('text', { class: 'tick', x: x(hour), y: 36, 'text-anchor': hour === 24 ? 'end' : 'middle' }, `${hour} h`),
    ),
  );
  return picture;
}
