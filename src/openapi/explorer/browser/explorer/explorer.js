// Imports nothing statically, so that the largest file is requested right after the first paint.

const DOCUMENT = addressOf('../../../../openapi.json');

try {
  const [spec, { show }] = await Promise.all([loadJson(DOCUMENT), import('./show.js'), loadSwaggerUi()]);
  show(spec, DOCUMENT);
} catch (error) {
  const note = document.querySelector('#loading');
  if (note !== null) note.textContent = 'The operations cannot be loaded. Reload the page to try again.';
  throw error;
}

async function loadSwaggerUi() {
  await firstPaint();
  const src = addressOf('../swagger-ui-bundle.js');
  const href = addressOf('./swagger-ui-layer.css');
  await Promise.all([
    inserted(Object.assign(document.createElement('script'), { src })),
    inserted(Object.assign(document.createElement('link'), { rel: 'stylesheet', href })),
  ]);
}

/**
 * Resolves after the first paint, so that the megabyte that follows does not delay the text of the page. A page in the
 * background is not painted.
 */
function firstPaint() {
  return new Promise((resolve) => {
    if (document.hidden) resolve(undefined);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** @param {string} path relative to this script */
function addressOf(path) {
  return new URL(path, import.meta.url).href;
}

/** @param {string} address of a JSON document */
async function loadJson(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`);
  return response.json();
}

/** @param {HTMLElement} element that loads something */
function inserted(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', () => reject(new Error(`${element.outerHTML} cannot be loaded.`)));
    document.head.append(element);
  });
}
