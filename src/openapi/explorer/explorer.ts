import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { dump } from 'js-yaml';
import { addToListHeader } from '../../http/addresses.js';
import { CompressedFile } from '../../http/compressed-file.js';
import { routeNotFound } from '../../http/hooks/early-responses.js';
import { sendWithEtag } from '../../http/conditional-requests/entity-tags.js';
import { Env } from '../../platform/config/env.js';
import type { CurrentDocument } from '../document/document.js';
import { acceptsHtml, serveEntryPoints, serviceLinks } from './entry-points.js';
import { guidePage, PACKAGE, readGuides } from './guides.js';
import { explorerPage, ICON, markStaging, missingPage } from './page.js';
import { plansPage } from './plans-page.js';
import { searchIndex } from './search-index.js';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Other files, such as declarations of types, are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Allows no resources of other hosts and no frames, because the page stores a key. Calls can go to all servers. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'connect-src *',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves Swagger UI at `/docs`, the guides and the plans below it, and the document at `/openapi.json` and `/openapi.yaml`.
 * `SwaggerModule.setup` would build the document and open a file for each request.
 */
export function serveExplorer(app: INestApplication, document: CurrentDocument): void {
  const server = app.getHttpAdapter().getInstance() as FastifyInstance;
  const serve = (path: string, file: () => CompressedFile, headers: Readonly<Record<string, string>> = {}) =>
    server.get(path, async (_request, reply) => {
      const { body, etag } = await file().negotiate(reply.headers(headers));
      // Caches must revalidate, because the next version of the service has the same addresses.
      const payload = sendWithEtag(reply.header('cache-control', 'no-cache'), body, etag);
      if (reply.statusCode === 304) reply.removeHeader('content-encoding');
      return reply.send(payload);
    });
  const env = app.get(Env);
  const links = serviceLinks(env);
  const serveDocs = (path: string, file: () => CompressedFile) =>
    serve(`/docs${path}`, file, { 'content-security-policy': POLICY, link: links });

  serve('/openapi.json', rendered(document, JSON_TYPE, JSON.stringify));
  serve('/openapi.yaml', rendered(document, 'application/yaml', toYaml));
  const { ANONYMOUS_PER_MINUTE: perMinute, ANONYMOUS_PER_DAY: perDay, ENVIRONMENT } = env;
  const marked = (html: string) => (ENVIRONMENT === 'staging' ? markStaging(html) : html);
  serveDocs('', fixed(HTML, marked(explorerPage('./docs/'))));
  serveDocs('/', fixed(HTML, marked(explorerPage('./'))));
  serveDocs('/plans', fixed(HTML, marked(plansPage({ perMinute, perDay }))));
  const guides = readGuides(env);
  for (const guide of guides) {
    const page = (current: OpenAPIObject) => marked(guidePage(guide, guides, current));
    serveDocs(`/${guide.name}`, rendered(document, HTML, page));
  }
  for (const name of ['plans', ...guides.map((guide) => guide.name)])
    // Relative, because a proxy can serve it below another path.
    server.get(`/docs/${name}/`, (_request, reply) => reply.redirect(`../${name}`, 308));
  const missing = marked(missingPage('./'));
  // Only beside the pages, so that its relative addresses are right.
  server.get('/docs/:name', (request, reply) => {
    addToListHeader(reply, 'vary', 'Accept');
    if (!acceptsHtml(request)) throw routeNotFound();
    return reply.code(404).header('content-security-policy', POLICY).type(HTML).send(missing);
  });
  const index = (current: OpenAPIObject) => JSON.stringify(searchIndex(guides, current));
  serveDocs('/search.json', rendered(document, JSON_TYPE, index));
  for (const [name, path] of assetPaths()) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const file = fixed(contentType, readFileSync(path));
    serveDocs(`/${name}`, file);
    // Browsers request it for pages without an icon, such as a response of the API.
    if (name === ICON) serve('/favicon.ico', file);
  }
  serveEntryPoints(server, env, guides);
}

const toYaml = (document: OpenAPIObject) => dump(document, { skipInvalid: true, noRefs: true });

/** Paths below `/docs/`, and the files there. */
function assetPaths(): [name: string, path: string][] {
  const folder = join(import.meta.dirname, 'browser');
  const own = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const rules = ['ban-record', 'decision', 'usage'].map((name) => `rate-limit/windows/${name}.js`);
  const { resolve } = createRequire(import.meta.url);
  return [
    ...own.map((name): [string, string] => [name, join(folder, name)]),
    // The picture of a day uses the rules of the service, as the build has compiled them.
    ...rules.map((name): [string, string] => [name, join(PACKAGE, 'dist/src', name)]),
    // The pages load no other files of the package.
    ['swagger-ui.css', resolve('swagger-ui-dist/swagger-ui.css')],
    ['swagger-ui-bundle.js', resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  ];
}

function fixed(contentType: string, content: string | Buffer): () => CompressedFile {
  const file = new CompressedFile(contentType, Buffer.from(content));
  return () => file;
}

/** A file that is rendered from the document, again after each change. */
function rendered(
  source: CurrentDocument,
  contentType: string,
  render: (document: OpenAPIObject) => string,
): () => CompressedFile {
  const files = new WeakMap<OpenAPIObject, CompressedFile>();
  return () => {
    const document = source.get();
    const file = files.get(document) ?? new CompressedFile(contentType, Buffer.from(render(document)));
    files.set(document, file);
    return file;
  };
}
