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

/** Nothing from elsewhere is loaded, and no other page frames this one, which keeps a key; calls go to any of the servers. */
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
 * Serves Swagger UI at `/docs` and the plans at `/docs/plans`, with no resource from elsewhere, and the document at `/openapi.json` and `/openapi.yaml`.
 * Not through `SwaggerModule.setup`, which builds text and document anew for each request, and opens a file for each.
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
    // Browsers ask for it at pages that name no icon, such as a response of the API.
    if (name === ICON) serve('/favicon.ico', file);
  }
  // Relative, as a proxy may serve all this below a path of its own.
  server.get('/', (_request, reply) => reply.redirect('docs'));
}

function fixed(contentType: string, content: string | Buffer): () => SharedFile {
  const file = new SharedFile(contentType, Buffer.from(content));
  return () => file;
}

/** A file made of the document, made anew when that has changed. */
function rendered(
  source: CurrentDocument,
  contentType: string,
  render: (document: OpenAPIObject) => string,
): () => SharedFile {
  let latest: { readonly document: OpenAPIObject; readonly file: SharedFile } | undefined;
  return () => {
    const document = source.get();
    if (latest?.document !== document)
      latest = { document, file: new SharedFile(contentType, Buffer.from(render(document))) };
    return latest.file;
  };
}

async function sendFile(reply: FastifyReply, file: SharedFile): Promise<FastifyReply> {
  const { body, etag } = await compress(reply, file);
  // Caches may keep it, but ask each time: the next version of the service has the same addresses.
  const payload = sendWithEtag(reply.header('cache-control', 'no-cache'), body, etag);
  if (reply.statusCode === 304) reply.removeHeader('content-encoding');
  return reply.send(payload);
}
