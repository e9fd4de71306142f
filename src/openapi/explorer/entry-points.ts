import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendWithEtag } from '../../http/conditional-requests/conditional-requests.js';
import { API_PREFIX } from '../../http/requests/request.js';
import { addToListHeader, publicAddress, publicPath } from '../../http/addresses.js';
import { type Clock, DAY_MS, rfc3339 } from '../../platform/config/clock.js';
import { type Env, VERSION } from '../../platform/config/env.js';
import { type Guide, titleOf } from './guides.js';

export const TEXT = 'text/plain; charset=utf-8';
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/**
 * Where programs and their authors find the API, and how to read all about it.
 * @param serve serves a file that does not change
 */
export function serveEntryPoints(
  server: FastifyInstance,
  env: Env,
  clock: Clock,
  guides: readonly Guide[],
  serve: (path: string, type: string, render: () => Buffer) => unknown,
): void {
  const at = (path: string) => publicPath(env, path);
  const catalogLink = `<${at('/.well-known/api-catalog')}>; rel="api-catalog"`;

  server.get('/', (request, reply) => {
    addToListHeader(reply.header('link', `${serviceLinks(env)}, ${catalogLink}`), 'vary', 'Accept');
    // Relative, because a proxy can serve it below another path.
    if (acceptsHtml(request)) return reply.redirect('docs', 303);
    const root = {
      name: 'Pet Store Service',
      version: VERSION,
      api: publicAddress(env, ''),
      documentation: at('/docs'),
      openapi: at('/openapi.json'),
    };
    return send(reply, 'application/json; charset=utf-8', JSON.stringify(root));
  });

  // RFC 9727, in the format of RFC 9264.
  const catalog = {
    anchor: publicAddress(env, ''),
    'service-desc': [{ href: at('/openapi.json'), type: 'application/json' }],
    'service-doc': [{ href: at('/docs'), type: 'text/html' }],
    status: [{ href: at('/health/ready'), type: 'application/json' }],
  };
  server.get('/.well-known/api-catalog', (_request, reply) =>
    send(reply.header('link', catalogLink), LINKSET, JSON.stringify({ linkset: [catalog] })),
  );

  const text = [
    '# Pet Store Service',
    '> A pet catalogue as an HTTP API: API keys, plans with limits, exact integers, errors with stable codes.',
    '## Guides',
    ...guides.map((guide) => `- [${titleOf(guide)}](${at(`/docs/${guide.name}.md`)})`),
    `- [All guides](${at('/llms-full.txt')}) in one file`,
    '## Reference',
    `- [OpenAPI document](${at('/openapi.json')}): all operations under ${API_PREFIX}, their parameters, responses and errors`,
    `- [API reference](${at('/docs')}): the same for people`,
    '## Clients',
    `- [client.ts](${at('/docs/client.ts')}) and [client.py](${at('/docs/client.py')}): all operations in one file, paced by the limits`,
  ].join('\n');
  serve('/llms.txt', TEXT, () => Buffer.from(`${text}\n`));
  // Their links are relative to `/docs/`.
  const all = guides.map(({ markdown }) =>
    markdown.replaceAll('](../docs', `](${at('/docs')}`).replaceAll(/\]\((?=[\w-]+\.md)/g, `](${at('/docs/')}`),
  );
  serve('/llms-full.txt', TEXT, () => Buffer.from(all.join('\n')));

  const { BASE_URL, SECURITY_CONTACT } = env;
  if (SECURITY_CONTACT === undefined) return;
  // RFC 9116.
  server.get('/.well-known/security.txt', (_request, reply) => {
    const lines = [
      `Contact: ${SECURITY_CONTACT}`,
      `Expires: ${rfc3339(Math.floor(clock.nowMs() / DAY_MS + 90) * DAY_MS)}`,
      'Preferred-Languages: en',
      ...(BASE_URL === undefined ? [] : [`Canonical: ${at('/.well-known/security.txt')}`]),
    ];
    return send(reply, TEXT, `${lines.join('\n')}\n`);
  });
}

/** Caches must revalidate it. */
function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.send(sendWithEtag(reply.type(type).header('cache-control', 'no-cache'), text));
}

/** Whether a request is that of a browser for a page. */
export function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** The value of Link for the description of the API and its documentation (RFC 8631). */
export function serviceLinks(env: Env): string {
  const description = `<${publicPath(env, '/openapi.json')}>; rel="service-desc"; type="application/json"`;
  return `${description}, <${publicPath(env, '/docs')}>; rel="service-doc"; type="text/html"`;
}
