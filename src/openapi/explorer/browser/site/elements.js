/**
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} [attributes]
 * @param {readonly (Node | string)[]} children
 */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} [attributes]
 * @param {readonly (Node | string)[]} children
 */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

/**
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {readonly (Node | string)[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
