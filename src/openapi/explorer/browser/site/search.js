import { html } from './elements.js';

/** @typedef {{ title: string, place: string, href: string, text: string }} Entry */

const MOST_SHOWN = 20;
/** Characters of the text before a match that are shown. */
const CONTEXT = 30;

const INDEX = new URL('../search.json', import.meta.url);

const input = html('input', {
  type: 'search',
  placeholder: 'Search guides, operations, scopes, error codes',
  'aria-label': 'Search',
});
const results = html('div', { 'aria-live': 'polite' });
const dialog = /** @type {HTMLDialogElement} */ (
  html('dialog', { class: 'search-dialog', 'aria-label': 'Search the documentation' }, input, results)
);
document.body.append(dialog);

/** @type {Promise<Entry[]> | undefined} */
let index;

document.querySelector('#search')?.addEventListener('click', open);
document.addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = target.isContentEditable || target.closest('input, textarea, select') !== null;
  const hasCommand = event.ctrlKey || event.metaKey;
  // In the API reference, the slash begins to filter the operations.
  const isSlash = event.key === '/' && !hasCommand && !isTyping && document.querySelector('.operation-filter') === null;
  const isCommand = event.key.toLowerCase() === 'k' && hasCommand;
  if ((!isSlash && !isCommand) || event.altKey || dialog.open) return;
  event.preventDefault();
  open();
});
input.addEventListener('input', () => void show());
// A click on the backdrop has the dialog as its target.
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
results.addEventListener('click', () => dialog.close());
dialog.addEventListener('keydown', moveFocus);

function open() {
  dialog.showModal();
  input.focus();
  /** @type {HTMLInputElement} */ (input).select();
  void show();
}

/** @returns {Promise<Entry[]>} */
function load() {
  return fetch(INDEX).then((response) => {
    if (!response.ok) throw new Error(`The search index is ${response.status}.`);
    return response.json();
  });
}

async function show() {
  const { value } = /** @type {HTMLInputElement} */ (input);
  const words = value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return results.replaceChildren();
  /** @type {Entry[]} */
  let entries;
  try {
    entries = await (index ??= load());
  } catch {
    index = undefined;
    return results.replaceChildren(html('p', {}, 'The service cannot be reached.'));
  }
  const found = entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_SHOWN);
  results.replaceChildren(
    found.length === 0
      ? html('p', {}, 'Nothing has all of these words.')
      : html('ul', {}, ...found.map(({ entry }) => item(entry, words))),
  );
}

/**
 * 0 unless the entry has all words. A word in the title counts more.
 * @param {Entry} entry
 * @param {readonly string[]} words
 */
function rankOf({ title, place, text }, words) {
  const [head, all] = [title.toLowerCase(), `${title} ${place} ${text}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return 0;
  return 1 + words.filter((word) => head.includes(word)).length + (head === words.join(' ') ? words.length : 0);
}

/**
 * @param {Entry} entry
 * @param {readonly string[]} words
 */
function item({ title, place, href, text }, [word = '']) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - CONTEXT);
  const excerpt = (at > 0 ? '… ' : '') + text.slice(at, at + 160);
  const address = new URL(href, INDEX).href;
  return html(
    'li',
    {},
    html('a', { href: address }, html('strong', {}, title), ` · ${place}`, html('small', {}, excerpt)),
  );
}

/** @param {KeyboardEvent} event */
function moveFocus(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const stops = /** @type {HTMLElement[]} */ ([input, ...results.querySelectorAll('a')]);
  const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
