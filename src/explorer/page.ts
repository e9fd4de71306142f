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
  <link rel="icon" type="image/svg+xml" href="${base}site/icon.svg">
  <link rel="stylesheet" href="${base}site/site.css">
  <script src="${base}site/theme.js"></script>
  ${head.trim()}
</head>
<body>
  <a class="skip-link noZensmooth" href="#content">Skip to the content</a>
  <header class="site-header">
    <a class="brand" href="${base}../docs"><img src="${base}site/icon.svg" alt="" width="28" height="28"><span class="wide">Pet Store</span><span class="visually-hidden">documentation</span></a>
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
