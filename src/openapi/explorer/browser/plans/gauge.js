import { html, svg } from '../site/elements.js';
import { localTime } from '../site/local-time.js';

const RADIUS = 42;
const CIRCUMFERENCE = 2 * Math.PI * RADIUS;

/** @typedef {{ limit: number, remaining: number, resetsAt: string }} Window */

/**
 * A ring that empties as the requests of a window are used.
 * @param {string} name
 * @param {Window} window
 */
export function drawWindow(name, { limit, remaining, resetsAt }) {
  const share = remaining / limit;
  const level = share > 0.25 ? 'ample' : share > 0 ? 'low' : 'none';
  const ring = svg(
    'svg',
    { viewBox: '0 0 100 100', class: `ring ${level}`, 'aria-hidden': 'true' },
    svg('circle', { class: 'track', cx: 50, cy: 50, r: RADIUS }),
    svg('circle', {
      class: 'left',
      cx: 50,
      cy: 50,
      r: RADIUS,
      'stroke-dasharray': `${share * CIRCUMFERENCE} ${CIRCUMFERENCE}`,
      transform: 'rotate(-90 50 50)',
    }),
    svg(
      'text',
      { x: 50, y: 50, 'text-anchor': 'middle', 'dominant-baseline': 'central' },
      remaining.toLocaleString('en'),
    ),
  );
  const left = `${remaining.toLocaleString('en')} of ${limit.toLocaleString('en')} requests left`;
  return html(
    'div',
    { class: 'gauge', role: 'group', 'aria-label': name },
    ring,
    html(
      'p',
      {},
      html('strong', {}, name),
      html('span', {}, left),
      // A window without requests has not begun.
      ...(remaining === limit ? [] : [html('span', { class: 'note' }, `until ${localTime(resetsAt)}`)]),
    ),
  );
}
