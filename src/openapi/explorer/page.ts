import { PLANS } from '../../auth/keys/plan.js';
import { formatCount, planTitle } from '../document/outline.js';

interface Page {
  readonly title: string;
  readonly name?: (typeof PAGES)[number]['name'];
  /** Prefix of the addresses of all files, relative to the page. It differs between `/docs` and `/docs/`. */
  readonly base: string;
  readonly head: string;
  readonly body: string;
}

/** Path of the assets below `/docs/` in the HTML of pages, before it gets their version. */
export const ASSETS = 'assets/current/';

/** Path of the icon below that of the assets. */
export const ICON = 'site/icon.svg';

const PAGES = [
  { name: 'API reference', short: 'Reference', path: '../docs' },
  { name: 'Guides', short: 'Guides', path: 'getting-started' },
  { name: 'Plans and usage', short: 'Plans', path: 'plans' },
] as const;

/**
 * Renders the common parts of all pages. Only styles and a few lines for the theme delay the first paint.
 * `noZensmooth` keeps the scrolling of Swagger UI, which moves no focus, away from the skip link.
 */
export function renderPage({ title, name, base, head, body }: Page): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" type="image/svg+xml" href="${base}${ASSETS}${ICON}">
  <link rel="stylesheet" href="${base}${ASSETS}site/site.css">
  <script src="${base}${ASSETS}site/theme.js"></script>
  <script src="${base}${ASSETS}site/search.js" type="module"></script>
  ${head.trim()}
</head>
<body>
  <a class="skip-link noZensmooth" href="#content">Skip to the content</a>
  <header class="site-header">
    <a class="brand" href="${base}../docs"><img src="${base}${ASSETS}${ICON}" alt="" width="28" height="28"><span class="wide">Pet Store</span><span class="visually-hidden">documentation</span></a>
    <nav aria-label="Documentation">
      ${PAGES.map((page) => `<a href="${base}${page.path}"${page.name === name ? ' aria-current="page"' : ''}><span class="wide">${page.name}</span><span class="narrow">${page.short}</span></a>`).join('\n      ')}
    </nav>
    <button id="search" type="button" aria-label="Search" title="Search (Ctrl+K)">
      <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><circle cx="6.75" cy="6.75" r="5"/><path d="m10.5 10.5 4.5 4.5"/></svg>
    </button>
    <button id="theme" type="button" aria-label="Switch between light and dark" title="Switch between light and dark">
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>
    </button>
  </header>
  ${body.trim()}
</body>
</html>
`;
}

/** Says on each page of a staging service that it is one. */
export function markStaging(page: string): string {
  return page.replace(
    '<header class="site-header">',
    '<aside class="ribbon" aria-label="Environment">Staging</aside>\n  $&',
  );
}

/**
 * The page that Swagger UI fills, which its script loads after the first paint. The introduction is part of the HTML, so it
 * appears before, and stays.
 */
export function explorerPage(base: string): string {
  const plans = Object.entries(PLANS).map(([name, limits]) => {
    const day = limits === undefined ? '' : ` a minute, ${formatCount(limits.perDay)} a day`;
    return `<li><strong>${planTitle(name)}</strong> <span>${formatCount(limits?.perMinute)}${day}</span></li>`;
  });
  return renderPage({
    title: 'Pet Store Service',
    name: 'API reference',
    base,
    head: `
  <link rel="stylesheet" href="${base}${ASSETS}explorer/explorer.css">
  <link rel="preload" href="${base}../openapi.json" as="fetch" crossorigin>
  <script src="${base}${ASSETS}explorer/explorer.js" type="module"></script>`,
    body: `
  <div id="explorer">
    <div class="explorer">
      <div class="contents"></div>
      <main id="content" tabindex="-1">
        <header class="introduction" id="introduction">
      <h1>Pet Store Service</h1>
      <p>A pet store catalogue: pets, categories, orders, usage, API keys, events and webhooks.</p>
      <p><strong>Authentication.</strong> Every request needs an API key: <code>Authorization: Bearer &lt;API_KEY&gt;</code></p>
      <p><strong>Limits.</strong> All keys of an account share the limits of its <a href="${base}plans">plan</a>:</p>
      <ul class="plan-limits">${plans.join('')}</ul>
        </header>
        <p id="loading" role="status">Loading the operations …</p>
        <noscript><p>The operations need JavaScript. They are also in <a href="${base}../openapi.yaml">openapi.yaml</a>.</p></noscript>
      </main>
    </div>
  </div>`,
  });
}

/** For a reader who follows a wrong link below `/docs`. */
export function missingPage(): string {
  return renderPage({
    title: 'Page not found · Pet Store Service',
    base: './',
    head: `<link rel="stylesheet" href="./${ASSETS}plans/plans.css">`,
    body: `
  <main id="content" tabindex="-1">
    <h1>Page not found</h1>
    <p>See the <a href="./getting-started">guides</a> or the <a href="./../docs">API reference</a>.</p>
  </main>`,
  });
}
