import { copy, COPIED_MS } from '../site/copy.js';
import { html } from '../site/elements.js';

/** As in the guides, unless the service knows its own address. */
const LOCAL = /http:\/\/localhost:\d+/g;
/** Where this service is, for a reader who is at another address than that of the examples. */
const HERE = new URL('../../../..', import.meta.url).href.replace(/\/$/, '');

for (const code of document.querySelectorAll('code')) code.textContent = textOf(code).replaceAll(LOCAL, HERE);

for (const block of document.querySelectorAll('pre')) {
  if (block.dataset['language'] === 'http') continue;
  const button = html('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    button.textContent = await copy(textOf(block));
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
  });
  const frame = html('div', { class: 'block', 'data-language': block.dataset['language'] ?? '' });
  block.replaceWith(frame);
  frame.append(block, button);
}

/** @param {Element} element */
function textOf(element) {
  return element.textContent ?? '';
}

const links = new Map(
  [...document.querySelectorAll('.side ul ul a')].map((link) => [link.getAttribute('href')?.slice(1) ?? '', link]),
);
const headings = [...document.querySelectorAll('main h2')];
addEventListener('scroll', markPlace, { passive: true });
markPlace();

/** Marks the section that a reader is in, which is the last one that begins in the upper third of the window. */
function markPlace() {
  const here = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
  for (const [id, link] of links) {
    if (id !== here?.id) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      const list = /** @type {HTMLElement} */ (link.closest('ul'));
      // Not scrollIntoView, which would scroll the page, too.
      list.scrollTop = /** @type {HTMLElement} */ (link).offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }
}
