import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dump } from 'js-yaml';
import { addToListHeader } from '../../http/addresses.js';
import { CompressedFile } from '../../http/compressed-file.js';
import { routeNotFound } from '../../http/hooks/requests.js';
import { sendWithEtag } from '../../http/conditional-requests/conditional-requests.js';
import { prefers } from '../../http/requests/request.js';
import { Clock } from '../../platform/config/clock.js';
import { Env } from '../../platform/config/env.js';
import { currentDocument } from '../document/document.js';
import { readAssets, versionOf } from './assets.js';
import { CHANGES, changesFeed } from './changes-feed.js';
import { acceptsHtml, serveEntryPoints, serviceLinks, TEXT } from './entry-points.js';
import { clientOf } from './clients/clients.js';
import { guidePage, localAddress, readGuides, searchIndex } from './guides.js';
import { ASSETS, explorerPage, ICON, markStaging, missingPage } from './page.js';
import { plansPage } from './plans-page.js';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

type Render = (document: OpenAPIObject) => Buffer;

/** Allows no resources of other hosts and no frames, because the page stores a key. Calls can go to all servers. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src *; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves Swagger UI at `/docs`, the guides and the plans below it, and the document at `/openapi.json` and `/openapi.yaml`.
 * `SwaggerModule.setup` would build the document and open a file for each request.
 * @param errorCodes of extensions, that no operation lists
 */
export function serveExplorer(app: INestApplication, errorCodes: readonly string[]): void {
  const server = app.getHttpAdapter().getInstance() as FastifyInstance;
  const env = app.get(Env);
  const document = currentDocument(app, errorCodes);
  const assets = readAssets();
  const version = versionOf(assets);
  /** A handler that sends a file, which is rendered from the document, again after each change. */
  const sending = (type: string, render: Render, added: Readonly<Record<string, string>> = {}) => {
    const files = new WeakMap<OpenAPIObject, CompressedFile>();
    return async ({ params }: FastifyRequest, reply: FastifyReply) => {
      const current = document();
      const file = files.get(current) ?? new CompressedFile(type, render(current));
      files.set(current, file);
      const { body, etag } = await file.negotiate(reply.headers(added));
      // The next version of the service has the same addresses, except those with the version of its assets.
      const isImmutable = (params as { version?: string }).version === version;
      void reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      const payload = sendWithEtag(reply, body, etag);
      if (reply.statusCode === 304) reply.removeHeader('content-encoding');
      return reply.send(payload);
    };
  };
  const serve = (path: string, ...file: Parameters<typeof sending>) => server.get(path, sending(...file));
  const headers = { 'content-security-policy': POLICY, link: serviceLinks(env) };
  const serveDocs = (path: string, type: string, render: Render) => serve(`/docs${path}`, type, render, headers);
  const marked = (html: string) =>
    (env.ENVIRONMENT === 'staging' ? markStaging(html) : html).replaceAll(ASSETS, `assets/${version}/`);
  const sendingPage = (render: (document: OpenAPIObject) => string) =>
    sending(HTML, (current) => Buffer.from(marked(render(current))), headers);
  const servePage = (path: string, render: (document: OpenAPIObject) => string) =>
    server.get(`/docs${path}`, sendingPage(render));

  serve('/openapi.json', JSON_TYPE, (current) => Buffer.from(JSON.stringify(current)));
  const yaml = { skipInvalid: true, noRefs: true };
  serve('/openapi.yaml', 'application/yaml', (current) => Buffer.from(dump(current, yaml)));
  servePage('', () => explorerPage('./docs/'));
  servePage('/', () => explorerPage('./'));
  servePage('/plans', () => plansPage({ perMinute: env.ANONYMOUS_PER_MINUTE, perDay: env.ANONYMOUS_PER_DAY }));
  for (const name of ['ts', 'py'] as const)
    serveDocs(`/client.${name}`, TEXT, (current) =>
      Buffer.from(clientOf(current, name, env.BASE_URL ?? localAddress(env))),
    );
  const guides = readGuides(env);
  for (const guide of guides) {
    const page = sendingPage((current) => guidePage(guide, guides, current));
    const markdown = sending(MARKDOWN, () => Buffer.from(guide.markdown), headers);
    server.get(`/docs/${guide.name}.md`, markdown);
    server.get(`/docs/${guide.name}`, (request, reply) => {
      addToListHeader(reply, 'vary', 'Accept');
      return (prefers(request, 'text/markdown', 'text/html') ? markdown : page)(request, reply);
    });
    if (guide.name === CHANGES)
      serveDocs(`/${CHANGES}.atom`, 'application/atom+xml; charset=utf-8', () => Buffer.from(changesFeed(env, guide)));
  }
  for (const name of ['plans', ...guides.map((guide) => guide.name)])
    // Relative, because a proxy can serve it below another path.
    server.get(`/docs/${name}/`, (_request, reply) => reply.redirect(`../${name}`, 308));
  // Only beside the pages, so that its relative addresses are right.
  server.get('/docs/:name', (request, reply) => {
    addToListHeader(reply, 'vary', 'Accept');
    if (!acceptsHtml(request)) throw routeNotFound();
    const page = marked(missingPage());
    return reply
      .code(404)
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type(HTML)
      .send(page);
  });
  serveDocs('/search.json', JSON_TYPE, (current) => Buffer.from(JSON.stringify(searchIndex(guides, current))));
  for (const { name, type, content } of assets) {
    // While instances of two versions run, one gets requests for the assets of the other, and sends its own.
    serveDocs(`/assets/:version/${name}`, type, () => content);
    // Browsers request it for pages without an icon, such as a response of the API.
    if (name === ICON) serve('/favicon.ico', type, () => content);
  }
  serveEntryPoints(server, env, app.get(Clock), guides, serve);
}
