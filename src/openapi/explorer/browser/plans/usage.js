import { html } from '../site/elements.js';
import { localTime } from '../site/local-time.js';
import { canBeSent, forgetKey, storedKey, storeKey, withoutScheme } from '../site/stored-key.js';
import { drawWindow } from './gauge.js';
import { hideHistory, showHistory } from './history.js';

const USAGE = new URL('../../../../v1/usage', import.meta.url);
const REFRESH_MS = 5_000;
const RETRY_MS = 10_000;

const panel = /** @type {HTMLElement} */ (document.querySelector('#usage'));
panel.tabIndex = -1;
const account = html('span');
const state = html('div');
// It stays while the numbers change, so that its button keeps the focus.
const usage = html('div', {}, html('p', { class: 'account' }, account, logOutButton()), state);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** Whether the key is asked about again and again. */
let isPolled = false;

show();
// A key is given or taken away in another tab, such as the explorer's.
addEventListener('storage', show);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) clearTimeout(timer);
  else if (isPolled) void refresh();
});

function show() {
  clearTimeout(timer);
  if (storedKey() === undefined) ask();
  else void refresh();
}

/** @param {string} [problem] with the key that was given before */
function ask(problem) {
  isPolled = false;
  hideHistory();
  const input = html('input', {
    id: 'key',
    name: 'key',
    type: 'text',
    required: '',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'psk_…',
    ...(problem === undefined ? {} : { 'aria-describedby': 'problem' }),
  });
  const form = html(
    'form',
    {},
    html('label', { for: 'key' }, 'API key'),
    html('div', { class: 'field' }, input, html('button', { type: 'submit' }, 'Show')),
    ...(storedKey() === undefined ? [] : [html('p', {}, logOutButton())]),
    ...(problem === undefined ? [] : [html('p', { id: 'problem', class: 'problem', role: 'alert' }, problem)]),
    html(
      'p',
      { class: 'note' },
      'This browser stores the key for this address, and the API reference uses it too. This page uses no quota.',
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = withoutScheme(/** @type {HTMLInputElement} */ (input).value);
    if (!canBeSent(key)) {
      ask('This is not an API key.');
      return;
    }
    storeKey(panel.dataset['scheme'] ?? '', key);
    void refresh();
  });
  replace(form);
}

/**
 * Replaces what the panel shows. The focus stays in it.
 * @param {Element} shown
 */
function replace(shown) {
  const hadFocus = panel.contains(document.activeElement);
  panel.replaceChildren(shown);
  if (hadFocus) (panel.querySelector('input') ?? panel).focus();
}

/** Asks the service, draws the answer, and does so again after a while unless the key is at fault. */
async function refresh() {
  clearTimeout(timer);
  const key = storedKey();
  if (key === undefined) return;
  isPolled = true;
  let next = RETRY_MS;
  try {
    const response = await fetch(USAGE, { headers: { Authorization: `Bearer ${key}` }, cache: 'no-store' });
    const body = await response.json();
    if (key !== storedKey()) return;
    if (response.ok) {
      draw(body);
      void showHistory(key);
      next = REFRESH_MS;
    } else if (response.status === 401 || response.status === 403) {
      // To go on would count against the address of this browser. A suspended account can be resumed, so its key stays.
      if (response.status === 401) forgetKey();
      ask(body.message);
      return;
    } else {
      next = Math.max(next, Number(response.headers.get('retry-after') ?? 0) * 1000);
      warn(body.message);
    }
  } catch {
    warn('The service cannot be reached.');
  }
  if (!document.hidden) timer = setTimeout(refresh, next);
}

function logOutButton() {
  const button = html('button', { type: 'button' }, 'Log out');
  button.addEventListener('click', () => {
    forgetKey();
    show();
  });
  return button;
}

/** @param {Usage} answer */
function draw({ account: name, plan, minute, day, strikes, bannedUntil }) {
  account.replaceChildren(html('strong', {}, name), ` · plan ${plan}`);
  state.replaceChildren(
    html('div', { class: 'gauges' }, drawWindow('This minute', minute), drawWindow('This day', day)),
    html(
      'p',
      { class: bannedUntil === undefined ? 'note' : 'problem' },
      bannedUntil === undefined
        ? `This key has ${strikes} of the ${minute.limit.toLocaleString('en')} refusals within a minute that lead to a ban.`
        : `This key is banned until ${localTime(bannedUntil)}.`,
    ),
  );
  panel.querySelector('[role=alert]')?.remove();
  if (!usage.isConnected) replace(usage);
}

/** @param {string} message */
function warn(message) {
  panel.querySelector('[role=alert]')?.remove();
  panel.append(html('p', { class: 'problem', role: 'alert' }, `${message} Retrying automatically.`));
}

/**
 * @typedef {import('./gauge.js').Window} Window
 * @typedef {{ account: string, plan: string, minute: Window, day: Window, strikes: number, bannedUntil?: string }} Usage
 */
