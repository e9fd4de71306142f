import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { dump } from 'js-yaml';
import { compress, SharedFile } from '../compression/index.js';
import { Env } from '../config/index.js';
import { sendWithEtag } from '../conditional-requests/index.js';
import type { CurrentDocument } from '../openapi/index.js';
import { ICON, readAssets } from './assets.js';
import { explorerPage } from './explorer-page.js';
import { plansPage } from './plans-page.js';

const HTML = 'text/html; charset=utf-8';

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
 * Serves Swagger UI at `/docs`, the plans at `/docs/plans`, and the document at `/openapi.json` and `/openapi.yaml`.
 * `SwaggerModule.setup` would build the document and open a file for each request.
 */
export function serveExplorer(app: INestApplication, document: CurrentDocument): void {
  const server = app.getHttpAdapter().getInstance() as FastifyInstance;
  const serve = (path: string, file: () => SharedFile, headers: Readonly<Record<string, string>> = {}) =>
    server.get(path, (_request, reply) => sendFile(reply.headers(headers), file()));
  const serveDocs = (path: string, file: () => SharedFile) =>
    serve(`/docs${path}`, file, { 'content-security-policy': POLICY });

  serve(
    '/openapi.json',
    rendered(document, 'application/json; charset=utf-8', (current) => JSON.stringify(current)),
  );
  serve(
    '/openapi.yaml',
    rendered(document, 'text/yaml; charset=utf-8', (current) => dump(current, { skipInvalid: true, noRefs: true })),
  );
  serveDocs('', fixed(HTML, explorerPage('./docs/')));
  serveDocs('/', fixed(HTML, explorerPage('./')));
  const { ANONYMOUS_PER_MINUTE: perMinute, ANONYMOUS_PER_DAY: perDay } = app.get(Env);
  serveDocs('/plans', fixed(HTML, plansPage({ perMinute, perDay })));
  for (const { name, contentType, content } of readAssets()) {
    const file = fixed(contentType, content);
    serveDocs(`/${name}`, file);
    // Browsers request it for pages without an icon, such as a response of the API.
    if (name === ICON) serve('/favicon.ico', file);
  }
  // Relative, because a proxy can serve it below another path.
  server.get('/', (_request, reply) => reply.redirect('docs'));
}

function fixed(contentType: string, content: string | Buffer): () => SharedFile {
  const file = new SharedFile(contentType, Buffer.from(content));
  return () => file;
}

/** A file that is rendered from the document, again after each change. */
function rendered(
  source: CurrentDocument,
  contentType: string,
  render: (document: OpenAPIObject) => string,
): () => SharedFile {
  const files = new WeakMap<OpenAPIObject, SharedFile>();
  return () => {
    const document = source.get();
    const file = files.get(document) ?? new SharedFile(contentType, Buffer.from(render(document)));
    files.set(document, file);
    return file;
  };
}

async function sendFile(reply: FastifyReply, file: SharedFile): Promise<FastifyReply> {
  const { body, etag } = await compress(reply, file);
  // Caches must revalidate, because the next version of the service has the same addresses.
  const payload = sendWithEtag(reply.header('cache-control', 'no-cache'), body, etag);
  if (reply.statusCode === 304) reply.removeHeader('content-encoding');
  return reply.send(payload);
}
