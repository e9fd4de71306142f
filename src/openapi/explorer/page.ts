/** A page of the documentation. */
interface Page {
  readonly title: string;
  /** Its name in the navigation. */
  readonly name: (typeof PAGES)[number]['name'];
  /** Prefix of the addresses of all files, relative to the page. It differs between `/docs` and `/docs/`. */
  readonly base: string;
  /** Elements of the head that load styles and scripts. */
  readonly head: string;
  readonly body: string;
}

/** Path of the icon below `/docs/`. */
export const ICON = 'site/icon.svg';

const PAGES = [
  { name: 'API reference', path: '../docs' },
  { name: 'Plans and limits', path: 'plans' },
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
  <link rel="icon" type="image/svg+xml" href="${base}${ICON}">
  <link rel="stylesheet" href="${base}site/site.css">
  <script src="${base}site/theme.js"></script>
  ${head.trim()}
</head>
<body>
  <a class="skip-link noZensmooth" href="#content">Skip to the content</a>
  <header class="site-header">
    <a class="brand" href="${base}../docs"><img src="${base}${ICON}" alt="" width="28" height="28"><span class="wide">Pet Store</span><span class="visually-hidden">documentation</span></a>
    <nav aria-label="Documentation">
      ${PAGES.map((page) => `<a href="${base}${page.path}"${page.name === name ? ' aria-current="page"' : ''}>${page.name}</a>`).join('\n      ')}
    </nav>
    <button id="theme" type="button" aria-label="Switch between light and dark" title="Switch between light and dark">
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>
    </button>
  </header>
  ${body.trim()}
</body>
</html>
`;
}

/** The page that Swagger UI fills. Its heading is part of the HTML, so it appears at once. */
export function explorerPage(base: string): string {
  return renderPage({
    title: 'Pet Store Service',
    name: 'API reference',
    base,
    head: `
  <link rel="stylesheet" href="${base}explorer/explorer.css">
  <link rel="preload" href="${base}swagger-ui.css" as="style">
  <link rel="preload" href="${base}../openapi.json" as="fetch" crossorigin>
  <script src="${base}swagger-ui-bundle.js" defer></script>
  <script src="${base}explorer/explorer.js" type="module"></script>`,
    body: `
  <div id="explorer">
    <main class="loading">
      <h1>Pet Store Service</h1>
      <p>Loading the operations …</p>
      <noscript><p>This page needs JavaScript. The same is in <a href="${base}../openapi.yaml">openapi.yaml</a>.</p></noscript>
    </main>
  </div>`,
  });
}
