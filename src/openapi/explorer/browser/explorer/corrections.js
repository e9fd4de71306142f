/**
 * Attributes that Swagger UI writes into its elements, and that its plugins cannot change; null removes one. The headings of
 * the page are h1 for its title, h2 for what it lists, h3 for tags and h4 within operations.
 * @type {Readonly<Record<string, Readonly<Record<string, string | null>>>>}
 */
const CORRECTIONS = {
  '.models > h4': { 'aria-level': '2' },
  '.webhooks > h2': { 'aria-level': '3' },
  // What is documented does not change, and is no landmark: each open operation has one.
  '.responses-table': { role: null, 'aria-live': null },
  // They scroll.
  '.highlight-code > pre': { tabindex: '0' },
};

/**
 * Corrects the elements that Swagger UI has drawn, and those that it draws later.
 * @param {Element} root
 */
export function correctAttributes(root) {
  const correct = () => {
    for (const [selector, attributes] of Object.entries(CORRECTIONS))
      for (const element of root.querySelectorAll(selector))
        for (const [name, value] of Object.entries(attributes)) setOrRemove(element, name, value);
  };
  new MutationObserver(correct).observe(root, { childList: true, subtree: true });
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string | null} value
 */
function setOrRemove(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
