import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../../src/platform/errors/error-codes.js';
import { FakeClock, startApp } from '../support/app.js';
import { service, sharePreparedApp } from '../support/folders.js';

const GUIDES = [
  'getting-started',
  'authentication',
  'api',
  'paging',
  'errors',
  'limits',
  'idempotency',
  'conditional-requests',
  'events',
  'webhooks',
  'lifecycle',
  'staging',
  'managing-keys',
  'changes',
];

sharePreparedApp();

async function text(path: string): Promise<string> {
  const response = await service.request(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

describe('the guides', () => {
  it.each(GUIDES)('/docs/%s has no script of its own and allows nothing of other hosts', async (name) => {
    const response = await service.request(`/docs/${name}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('link')).toContain('</openapi.json>; rel="service-desc"');
    const html = await response.text();
    expect(html.match(/<script(?! src="\.\/)[^>]*>/g)).toBeNull();
    expect(html).toMatch(/<h1 id="[\w-]+">/);
  });

  it('link only to pages and headings that exist', async () => {
    const pages = new Map<string, string>();
    for (const name of GUIDES) pages.set(`/docs/${name}`, await text(`/docs/${name}`));
    const missing: string[] = [];
    let count = 0;
    for (const [path, html] of pages) {
      for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (href.startsWith('https://')) continue;
        const { pathname, hash } = new URL(href, service.origin + path);
        const target = pages.get(pathname) ?? (await text(pathname));
        const isThere = hash === '' || idsIn(target).has(hash.slice(1));
        if (!isThere) missing.push(href);
        count += 1;
      }
    }
    expect(missing).toEqual([]);
    expect(count).toBeGreaterThan(200);
  });

  it('have their address without a trailing slash, to which the one with it leads', async () => {
    for (const name of [...GUIDES, 'plans']) {
      const { status, headers } = await service.request(`/docs/${name}/`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([308, `../${name}`]);
    }
  });

  it('lead to the guides before and after them, and to the API reference', async () => {
    const html = await text('/docs/authentication');
    expect(html).toContain('<a href="getting-started" rel="prev">Previous: Getting started</a>');
    expect(html).toContain('<a href="api" rel="next">Next: Pets, categories and orders</a>');
    expect(await text('/docs/getting-started')).toContain('<a href="../docs">API reference</a> lists all operations');
  });

  it('have the address of the service, and in staging its keys, also without scripts', async () => {
    const started = await text('/docs/getting-started');
    expect(started).toContain('http://localhost:3000/v1/usage');
    expect(started).not.toContain('class="ribbon"');
    const staging = await startApp({ env: { ENVIRONMENT: 'staging', BASE_URL: 'https://staging.petstore.test/v1' } });
    try {
      const pages = await Promise.all(GUIDES.map(async (name) => (await staging.request(`/docs/${name}`)).text()));
      for (const html of pages) expect(html).not.toMatch(/localhost:3000|psk_live_(?:\.{3}|\w*…)/);
      for (const html of [...pages, await (await staging.request('/docs')).text()])
        expect(html).toContain('<aside class="ribbon" aria-label="Environment">Staging</aside>');
      const all = pages.join('');
      expect(all).toContain(
        'curl -i -H &quot;Authorization: Bearer $API_KEY&quot; https://staging.petstore.test/v1/usage',
      );
      expect(all).toContain('export API_KEY=psk_test_...');
      expect(all).toContain(
        'A key is <code>psk_live_</code>, or in <a href="staging">staging</a> <code>psk_test_</code>',
      );
    } finally {
      await staging.stop();
    }
  });

  it('explain every error code, with an example', async () => {
    const html = await text('/docs/errors');
    for (const [code, { status }] of Object.entries(ERROR_CODES)) {
      const section = html.slice(html.indexOf(` id="${code}"`)).split(/<h[23]/)[0] ?? '';
      const example = /<code>(\{[^]*?\})<\/code>/.exec(section)?.[1] ?? '{}';
      expect(JSON.parse(example.replaceAll('&amp;', '&'))).toMatchObject({ code, status });
    }
  });
});

const entries = async () =>
  JSON.parse(await text('/docs/search.json')) as Record<'title' | 'text' | 'terms' | 'href', string>[];

describe('the search', () => {
  it('shows text as a reader sees it, without Markdown and markup', async () => {
    const shown = new Map((await entries()).map((entry) => [entry.href, entry]));
    for (const { text: visible } of shown.values())
      expect(visible).not.toMatch(/\*\*\w[\w .]*\*\*|\]\(\w|\.md\b|&(?:lt|gt|amp|quot);|<\/?(?:p|code|a|li|td)\b/);
    expect(shown.get('getting-started#first-requests')?.text).toContain('curl -i -H "Authorization: Bearer $API_KEY"');
    expect(shown.get('getting-started#first-requests')?.text).toContain('charset=utf-8');
    expect(shown.get('../docs#/Pets/createPet')).toMatchObject({
      text: expect.stringMatching(/^The body is JSON/),
      terms: expect.stringContaining('Idempotency-Key'),
    });
  });

  it.each([
    ['idempotency', ['Create a pet', 'Idempotent requests']],
    ['etag', ['Only if it has changed', 'List pets']],
    ['rate_limit_exceeded', ['rate_limit_exceeded']],
    ['pagination', ['Paging']],
    ['edit', ['Change a pet', 'Change an API key']],
    ['pets:write', ['Scopes', 'Create a pet']],
  ])('finds %s in operations and guides', async (word, titles) => {
    const found = (await entries()).filter((entry) =>
      `${entry.title} ${entry.text} ${entry.terms}`.toLowerCase().includes(word),
    );
    expect(found.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
    for (const { href } of found) await text(new URL(href, `${service.origin}/docs/`).pathname);
  });
});

describe('a path below /docs that does not exist', () => {
  it.each(['/docs/unknown', '/docs/Errors'])('is a page with links in a browser: %s', async (path) => {
    const response = await service.request(path, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect([response.headers.get('vary'), response.headers.get('cache-control')]).toEqual(['Accept', 'no-cache']);
    const links = [...(await response.text()).matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, href = '']) => href);
    for (const href of links) await text(new URL(href, service.origin + path).pathname);
    expect(links).toEqual(
      expect.arrayContaining([
        './getting-started',
        './../docs',
        expect.stringMatching(/assets\/\w+\/site\/site\.css$/),
      ]),
    );
  });
});

const read = (name: string, Accept: string) => service.request(`/docs/${name}`, { headers: { Accept } });
const typeOf = async (name: string, accept: string) => (await read(name, accept)).headers.get('content-type');

describe('a guide as Markdown', () => {
  it.each(GUIDES)('has its source at /docs/%s.md, with links that lead somewhere', async (name) => {
    const response = await service.request(`/docs/${name}.md`);
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const source = await response.text();
    expect(source).toMatch(/^# \w/);
    for (const [, href = ''] of source.matchAll(/\]\((?!https:|#)([^)#]+)/g))
      await text(new URL(href, `${service.origin}/docs/`).pathname);
  });

  it('is at the address of the page for who prefers it, and a cache is told', async () => {
    const markdown = 'text/markdown; charset=utf-8';
    for (const accept of ['text/markdown', 'text/markdown, text/html;q=0.9, */*', 'text/html,text/markdown'])
      expect([accept, await typeOf('errors', accept)]).toEqual([accept, markdown]);
    for (const accept of ['text/html', '*/*', 'text/html,text/markdown;q=0.5', 'text/markdown;q=0'])
      expect([accept, await typeOf('errors', accept)]).toEqual([accept, 'text/html; charset=utf-8']);
    const [page, source] = [await read('errors', '*/*'), await read('errors', 'text/markdown')];
    for (const { headers } of [page, source]) expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(await source.text()).toBe(await text('/docs/errors.md'));
    expect(await page.text()).toContain('<link rel="alternate" type="text/markdown" href="./errors.md">');
  });

  it('is in one file with all others, whose links lead somewhere', async () => {
    const all = await text('/llms-full.txt');
    for (const name of GUIDES) expect(all).toContain((await text(`/docs/${name}.md`)).split('\n')[0]);
    const links = [...all.matchAll(/\]\((?!https:|#)([^)#]+)/g)].map(([, href = '']) => href);
    for (const href of new Set(links)) await text(href);
    expect(links).toContain('/docs/errors.md');
  });
});

it('the feed of changes has an entry for each released version, newest first, that leads to its section', async () => {
  const response = await service.request('/docs/changes.atom');
  expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const feed = await response.text();
  const versions = [...feed.matchAll(/<title>Version ([^<]+)<\/title>/g)].map(([, version]) => version);
  expect(versions.slice(-6)).toEqual(['2.1.0', '2.0.1', '2.0.0', '1.1.1', '1.1.0', '1.0.0']);
  expect(feed).toContain('<updated>2026-11-25T00:00:00Z</updated>');
  // Of the feed, and of its versions.
  const [updated, ...dates] = Array.from(feed.matchAll(/<updated>([^<]+)</g), ([, date]) => date);
  expect([updated, dates.length]).toEqual([dates[0], versions.length]);
  expect(dates).toEqual(dates.toSorted().toReversed());
  const page = idsIn(await text('/docs/changes'));
  const anchors = [...feed.matchAll(/<link href="\/docs\/changes#([^"]+)"/g)].map(([, anchor = '']) => anchor);
  expect(anchors).toHaveLength(versions.length);
  for (const anchor of anchors) expect(page).toContain(anchor);
  expect(await text('/docs/errors')).toContain('type="application/atom+xml"');
});

const PATH = '/.well-known/security.txt';

it('a contact for vulnerabilities (RFC 9116) is there if it is set, and expires within a year', async () => {
  const env = { SECURITY_CONTACT: 'mailto:security@petstore.test', BASE_URL: 'https://api.petstore.test/v1' };
  const clock = new FakeClock();
  clock.set('2026-11-21T12:00:00Z');
  const other = await startApp({ env, clock });
  const response = await other.request(PATH);
  await other.stop();
  expect([response.headers.get('content-type'), await response.text()]).toEqual([
    'text/plain; charset=utf-8',
    'Contact: mailto:security@petstore.test\nExpires: 2027-02-19T00:00:00.000Z\nPreferred-Languages: en\n' +
      'Canonical: https://api.petstore.test/.well-known/security.txt\n',
  ]);
  expect((await service.request(PATH)).status).toBe(404);
});

describe('the root', () => {
  it('leads browsers to the documentation, also below the path of a proxy, and tells programs where things are', async () => {
    const browser = { Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
    const root = await service.request('/', { redirect: 'manual', headers: browser });
    expect([root.status, root.headers.get('location'), root.headers.get('vary')]).toEqual([303, 'docs', 'Accept']);
    expect(root.headers.get('link')).toBe(
      '</openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html", </.well-known/api-catalog>; rel="api-catalog"',
    );
    const problem = await service.request('/docs/missing', { headers: { Accept: 'application/problem+json' } });
    expect(problem.headers.get('vary')).toBe('Accept');
    const plain = await service.request('/');
    expect(await plain.json()).toMatchObject({ api: '/v1', documentation: '/docs', openapi: '/openapi.json' });
  });

  it('has a catalogue (RFC 9727) and a page for language models, whose links exist', async () => {
    const catalog = await service.request('/.well-known/api-catalog');
    expect(catalog.headers.get('content-type')).toContain('application/linkset+json');
    expect(catalog.headers.get('link')).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    const { linkset } = (await catalog.json()) as { linkset: Record<string, { href: string }[] | string>[] };
    expect(linkset[0]?.['anchor']).toBe('/v1');
    const links = Object.values(linkset[0] ?? {}).flatMap((value) => (Array.isArray(value) ? value : []));
    expect(links.length).toBe(3);
    const listed = [...(await text('/llms.txt')).matchAll(/\]\(([^)]+)\)/g)].map(([, href = '']) => href);
    expect(listed.length).toBeGreaterThan(GUIDES.length);
    for (const href of [...links.map((link) => link.href), ...listed]) await text(href);
  });

  it.each(['/', '/.well-known/api-catalog', '/llms.txt', '/llms-full.txt'])(
    'revalidates like a page: %s',
    async (path) => {
      const { headers } = await service.request(path);
      expect(headers.get('cache-control')).toBe('no-cache');
      const again = await service.request(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
      expect(again.status).toBe(304);
    },
  );
});
