import { renderPage } from './page.js';

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
