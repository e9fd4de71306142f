import { html } from '../site/elements.js';
import { storedKey } from '../site/stored-key.js';
import { describeRequests, drawHistory } from './history-picture.js';

const HISTORY = new URL('../../../../v1/usage/history', import.meta.url);
const REFRESH_MS = 60_000;
/** In pixels. */
const LEAST_WIDTH = 150;

/**
 * What can become of a request, from the bottom of a bar to its top.
 * @type {readonly Part[]}
 */
const OUTCOMES = [
  { kind: 'admitted', name: 'admitted' },
  { kind: 'client_error', name: 'client errors' },
  { kind: 'limited', name: 'over a limit' },
  { kind: 'banned', name: 'during a ban' },
  { kind: 'server_error', name: 'server errors' },
];
/** So many keys or operations have a colour of their own; all others share one. */
const MOST_COLOURS = 4;

/** @type {Readonly<Record<'day' | 'hour', { ms: number, range: string, format: Intl.DateTimeFormatOptions }>>} */
const INTERVALS = {
  day: { ms: 86_400_000, range: 'in the last 30 days. Days are in UTC.', format: {} },
  hour: {
    ms: 3_600_000,
    range: 'in the last 24 hours. Times are in UTC.',
    format: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  },
};

const panel = /** @type {HTMLElement} */ (document.querySelector('#history'));
const by = choice(['outcome', 'key', 'operation']);
const interval = choice(['day', 'hour']);
const picture = html('div', { class: 'chart' });
const summary = html('p', { class: 'summary' });
const legend = html('ul', { class: 'legend' });
const table = html('div', { class: 'scrolls', role: 'region', tabindex: 0 });
const details = html('details', {}, html('summary', {}, 'Show as a table'), table);
// It stays while its contents are replaced, so that it stays open and keeps the focus.
const chart = html(
  'div',
  {},
  html('div', { class: 'choices' }, html('label', {}, 'By ', by), html('label', {}, 'Interval ', interval)),
  summary,
  picture,
  legend,
  details,
);

/** @type {Bar[]} */
let bars = [];
/** @type {readonly Part[]} */
let parts = [];
/** @type {string | undefined} */
let shownKey;
let dueMs = 0;

hideHistory();
new ResizeObserver(drawPicture).observe(picture);

/** @param {readonly string[]} values */
function choice(values) {
  const select = html('select', {}, ...values.map((value) => html('option', {}, value)));
  select.addEventListener('change', () => {
    dueMs = 0;
    if (shownKey !== undefined) void showHistory(shownKey);
  });
  return /** @type {HTMLSelectElement} */ (select);
}

/** The address of what is chosen. */
function address() {
  return `${HISTORY.href}?by=${by.value}&interval=${interval.value}`;
}

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
    const asked = address();
    const response = await fetch(asked, { headers: { Authorization: `Bearer ${key}` }, cache: 'no-store' });
    const body = await response.json();
    if (key !== shownKey || key !== storedKey() || asked !== address()) return;
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
  const { ms, range, format } = INTERVALS[/** @type {'day'} */ (interval.value)];
  const idOf = (/** @type {Item} */ item) => item[/** @type {'key'} */ (by.value)] ?? '';
  const ids = by.value === 'outcome' ? OUTCOMES.map(({ kind }) => kind) : mostUsed(items, idOf);
  parts = by.value === 'outcome' ? OUTCOMES : ids.map((name, index) => ({ kind: `part-${index}`, name }));
  const beginMs = Date.parse(from);
  const counts = Array.from({ length: (Date.parse(to) - beginMs) / ms }, () => parts.map(() => 0));
  for (const item of items) {
    const found = ids.indexOf(idOf(item));
    // What is not among them is in the last one.
    const index = found === -1 ? ids.length - 1 : found;
    const requests = counts[(Date.parse(item.start) - beginMs) / ms] ?? [];
    requests[index] = (requests[index] ?? 0) + item.requests;
  }
  bars = counts.map((requests, index) => ({
    name: dateOf(beginMs + index * ms, format),
    requests,
    total: sumOf(requests),
  }));
  const totals = parts.map((_, index) => sumOf(bars.map(({ requests }) => requests[index] ?? 0)));
  summary.textContent = `${describeRequests(sumOf(totals), totals, parts)} ${range}`;
  legend.replaceChildren(...parts.map(({ kind, name }) => html('li', { class: kind }, name)));
  drawTable();
  if (!chart.isConnected) panel.replaceChildren(chart);
  drawPicture();
}

/**
 * The keys or operations with the most requests, the first one first.
 * @param {readonly Item[]} items
 * @param {(item: Item) => string} idOf
 */
function mostUsed(items, idOf) {
  /** @type {Map<string, number>} */
  const totals = new Map();
  for (const item of items) totals.set(idOf(item), (totals.get(idOf(item)) ?? 0) + item.requests);
  const ids = [...totals].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
  return ids.length > MOST_COLOURS ? [...ids.slice(0, MOST_COLOURS), 'all others'] : ids;
}

function drawPicture() {
  const width = Math.floor(picture.clientWidth);
  // Not laid out yet: the observer calls again.
  if (width >= LEAST_WIDTH && bars.length > 0) picture.replaceChildren(drawHistory(bars, parts, width));
}

/** Intervals without requests are left out, so that a phone shows the others at once. */
function drawTable() {
  const title = `Requests by ${interval.value}`;
  const names = [interval.value, 'requests', ...parts.map(({ name }) => name)];
  const used = bars.filter(({ total }) => total > 0).toReversed();
  details.hidden = used.length === 0;
  table.ariaLabel = title;
  table.replaceChildren(
    html(
      'table',
      {},
      html('caption', { class: 'visually-hidden' }, `${title} in UTC and by ${by.value}, the newest first`),
      html('thead', {}, html('tr', {}, ...names.map((name) => html('th', { scope: 'col' }, name)))),
      html('tbody', {}, ...used.map(rowOf)),
    ),
  );
}

/** @param {Bar} bar */
function rowOf({ name, total, requests }) {
  const cells = [total, ...requests].map((cell) => html('td', {}, cell.toLocaleString('en')));
  return html('tr', {}, html('th', { scope: 'row' }, name), ...cells);
}

/**
 * @param {number} ms of the start of an interval
 * @param {Intl.DateTimeFormatOptions} [format] of what is smaller than a day
 */
function dateOf(ms, format) {
  return new Date(ms).toLocaleString('en', { month: 'short', day: 'numeric', ...format, timeZone: 'UTC' });
}

/** @param {readonly number[]} numbers */
function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * @typedef {import('./history-picture.js').Bar} Bar
 * @typedef {import('./history-picture.js').Part} Part
 * @typedef {{ start: string, requests: number, outcome?: string, key?: string, operation?: string }} Item
 * @typedef {{ from: string, to: string, items: readonly Item[] }} History
 */
