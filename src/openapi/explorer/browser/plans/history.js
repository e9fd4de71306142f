import { html } from '../site/elements.js';
import { storedKey } from '../site/stored-key.js';
import { describeRequests, drawHistory, NAMES, OUTCOMES, shortDate } from './history-picture.js';

const HISTORY = new URL('../../v1/usage/history?by=outcome', import.meta.url);
const REFRESH_MS = 60_000;
const DAY_MS = 86_400_000;
/** In pixels. */
const LEAST_WIDTH = 150;
const NO_REQUESTS = { admitted: 0, client_error: 0, limited: 0, banned: 0, server_error: 0 };

const panel = /** @type {HTMLElement} */ (document.querySelector('#history'));
const picture = html('div', { class: 'chart' });
const summary = html('p', { class: 'summary' });
const rows = html('tbody');
// It stays while its rows are replaced, so that it stays open and keeps the focus.
const chart = html(
  'div',
  {},
  summary,
  picture,
  html('ul', { class: 'legend' }, ...OUTCOMES.map((outcome) => html('li', { class: outcome }, NAMES[outcome]))),
  html(
    'details',
    {},
    html('summary', {}, 'Show as a table'),
    html(
      'div',
      { class: 'table', role: 'region', 'aria-label': 'Requests by day', tabindex: 0 },
      html(
        'table',
        {},
        html('caption', { class: 'visually-hidden' }, 'Requests by UTC day and outcome, the newest day first'),
        html(
          'thead',
          {},
          html(
            'tr',
            {},
            ...['day', 'requests', ...OUTCOMES.map((outcome) => NAMES[outcome])].map((name) =>
              html('th', { scope: 'col' }, name),
            ),
          ),
        ),
        rows,
      ),
    ),
  ),
);

/** @type {import('./history-picture.js').Day[]} */
let days = [];
/** @type {string | undefined} */
let shownKey;
let dueMs = 0;

hideHistory();
new ResizeObserver(drawPicture).observe(picture);

/** Asks for a key instead of a history. */
export function hideHistory() {
  shownKey = undefined;
  say('Enter an API key to see the requests of its account.');
}

/**
 * Draws the history of the account of a key, if that has not been done for a while.
 * @param {string} key
 */
export async function showHistory(key) {
  if (key === shownKey && performance.now() < dueMs) return;
  if (key !== shownKey) say('Loading …');
  shownKey = key;
  dueMs = performance.now() + REFRESH_MS;
  try {
    const response = await fetch(HISTORY, { headers: { Authorization: `Bearer ${key}` }, cache: 'no-store' });
    const body = await response.json();
    if (key !== shownKey || key !== storedKey()) return;
    if (response.ok) draw(body);
    else say(`The history cannot be shown: ${body.message}`);
  } catch {
    if (key === shownKey) say('The history cannot be shown, because the service cannot be reached.');
  }
}

/** @param {string} sentence instead of the history */
function say(sentence) {
  panel.replaceChildren(html('p', { class: 'note', role: 'status' }, sentence));
}

/** @param {History} history */
function draw({ from, to, items }) {
  days = [];
  for (let ms = Date.parse(from); ms < Date.parse(to); ms += DAY_MS) {
    const start = new Date(ms).toISOString();
    const requests = { ...NO_REQUESTS };
    for (const item of items) if (item.start === start) requests[item.outcome] = item.requests;
    days.push({ start, requests, total: sumOf(Object.values(requests)) });
  }
  summary.textContent = describe();
  rows.replaceChildren(...days.toReversed().map(rowOf));
  if (!chart.isConnected) panel.replaceChildren(chart);
  drawPicture();
}

function drawPicture() {
  const width = Math.floor(picture.clientWidth);
  // Not laid out yet: the observer calls again.
  if (width >= LEAST_WIDTH && days.length > 0) picture.replaceChildren(drawHistory(days, width));
}

function describe() {
  const requests = { ...NO_REQUESTS };
  for (const outcome of OUTCOMES) requests[outcome] = sumOf(days.map((day) => day.requests[outcome]));
  return `${describeRequests(sumOf(Object.values(requests)), requests)} in the last 30 days. Days are in UTC.`;
}

/** @param {import('./history-picture.js').Day} day */
function rowOf({ start, total, requests }) {
  const cells = [total, ...OUTCOMES.map((outcome) => requests[outcome])];
  return html(
    'tr',
    {},
    html('th', { scope: 'row' }, shortDate(start)),
    ...cells.map((cell) => html('td', {}, count(cell))),
  );
}

/** @param {readonly number[]} numbers */
function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** @param {number} requests */
function count(requests) {
  return requests.toLocaleString('en');
}

/**
 * @typedef {import('./history-picture.js').Outcome} Outcome
 * @typedef {{ from: string, to: string, items: { start: string, requests: number, outcome: Outcome }[] }} History
 */
