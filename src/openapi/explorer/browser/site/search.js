import { closeByBackdrop } from './backdrop.js';
import { html } from './elements.js';

/**
 * @typedef {{ title: string, place: string, href: string, text: string, terms: string }} Entry
 * @typedef {Readonly<Record<'title' | 'name' | 'text', readonly string[]>>} Words of an entry
 */

const MOST_SHOWN = 20;
/** Words of the text that are shown, and how many of them come before a match. */
const EXCERPT = 18;
const CONTEXT = 5;
/** Characters of a word that is shown. Longer ones are JSON without spaces. */
const LONGEST = 40;

const INDEX = new URL('../../../search.json', import.meta.url);

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

/** @type {Promise<{ entry: Entry, has: Words }[]> | undefined} */
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
closeByBackdrop(dialog);
results.addEventListener('click', () => dialog.close());
dialog.addEventListener('keydown', moveFocus);
input.addEventListener('keydown', async ({ key }) => {
  // Otherwise the first Escape only empties the field.
  if (key === 'Escape') dialog.close();
  if (key !== 'Enter') return;
  await show();
  results.querySelector('a')?.click();
});

function open() {
  dialog.showModal();
  input.focus();
  /** @type {HTMLInputElement} */ (input).select();
  void show();
}

async function load() {
  const response = await fetch(INDEX);
  if (!response.ok) throw new Error(`The search index is ${response.status}.`);
  const entries = /** @type {Entry[]} */ (await response.json());
  return entries.map((entry) => {
    const { title, place, text, terms } = entry;
    return { entry, has: { title: wordsOf(title), name: wordsOf(`${place} ${terms}`), text: wordsOf(text) } };
  });
}

async function show() {
  const words = wordsOf(/** @type {HTMLInputElement} */ (input).value);
  if (words.length === 0) return results.replaceChildren();
  let entries;
  try {
    entries = await (index ??= load());
  } catch {
    index = undefined;
    return results.replaceChildren(html('p', {}, 'The service cannot be reached.'));
  }
  const found = entries
    .map(({ entry, has }) => ({ entry, rank: rankOf(has, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_SHOWN);
  results.replaceChildren(
    found.length === 0
      ? html('p', {}, 'No results for these words.')
      : html('ul', {}, ...found.map(({ entry }) => item(entry, words))),
  );
}

/**
 * In lower case and without punctuation, so that `Retry-After` is two words, and `"ETag".` is one.
 * @param {string} text
 */
function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * How many words begin with one of the search.
 * @param {readonly string[]} words
 * @param {string} start
 */
function count(words, start) {
  return words.filter((one) => one.startsWith(start)).length;
}

/**
 * 0 unless the entry has all words. A word in the title counts most, then one in the name of a guide or of an operation,
 * then how often the text has it, up to a number.
 * @param {Words} has
 * @param {readonly string[]} words
 */
function rankOf(has, words) {
  let rank = has.title.join(' ') === words.join(' ') ? 20 : 0;
  for (const word of words) {
    const [head, name, body] = [count(has.title, word), count(has.name, word), count(has.text, word)];
    if (head + name + body === 0) return 0;
    rank += Math.min(head, 1) * 10 + Math.min(name, 1) * 5 + Math.min(body, 4);
  }
  return rank;
}

/**
 * @param {Entry} entry
 * @param {readonly string[]} words
 */
function item({ title, place, href, text }, [word = '']) {
  const shown = text.split(' ');
  const at = Math.max(0, shown.findIndex((one) => count(wordsOf(one), word) > 0) - CONTEXT);
  const excerpt = shown
    .slice(at, at + EXCERPT)
    .map((one) => (one.length > LONGEST ? '…' : one))
    .join(' ');
  const address = new URL(href, INDEX).href;
  return html(
    'li',
    {},
    html(
      'a',
      { href: address },
      html('strong', {}, title),
      ` · ${place}`,
      html('small', {}, `${at > 0 ? '… ' : ''}${excerpt}${at + EXCERPT < shown.length ? ' …' : ''}`),
    ),
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
