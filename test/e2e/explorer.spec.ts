import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/expectations.js';
import { ask } from '../support/http.js';
import { service, sharePreparedApp } from '../support/folders.js';

let html: string;
const env = { BASE_URL: 'https://api.petstore.test/v1', STAGING_BASE_URL: 'https://staging.petstore.test/v1' };
sharePreparedApp({ env }, async () => {
  html = await (await service.request('/docs')).text();
});

/** Returns the addresses that the page loads, from any element. */
const loads = () =>
  [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);

const cacheOf = async (address: string) => (await service.request(address)).headers.get('cache-control');

describe('the explorer', () => {
  it('loads only existing files, and nothing from other hosts', async () => {
    expect(loads().length).toBeGreaterThan(5);
    for (const address of loads()) {
      expect(address).toMatch(/^\.\/docs\//);
      const response = await service.request(new URL(address, `${service.origin}/docs`).pathname);
      expect([address, response.status]).toEqual([address, 200]);
    }
    for (const file of ['swagger-ui', 'site/site', 'explorer/explorer']) {
      const styles = await service.request(`/docs/assets/current/${file}.css`);
      expect(styles.status).toBe(200);
      expect(await styles.text()).not.toMatch(/url\(["']?(?:https?:)?\/\//);
    }
  });

  it('forbids the browser to load anything from other hosts', async () => {
    const { headers } = await service.request('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    // The explorer may send requests to any of the documented servers.
    expect(policy.replace('connect-src *', '')).not.toMatch(/\*|https?:/);
    // What default-src does not cover: a page around it, another base, and forms.
    for (const directive of ['frame-ancestors', 'base-uri', 'form-action'])
      expect(policy).toContain(`${directive} 'none'`);
  });

  it('works with a trailing slash', async () => {
    const page = await (await service.request('/docs/')).text();
    expect(page).toMatch(/src="\.\/assets\/\w+\/explorer\/explorer\.js"/);
  });

  it('keeps its files for a year, under an address that changes with them', async () => {
    const versioned = loads().find((address) => address.endsWith('/explorer/explorer.js')) ?? '';
    const path = new URL(versioned, `${service.origin}/docs`).pathname;
    expect(path).toMatch(/^\/docs\/assets\/[0-9a-f]{16}\//);
    expect(await cacheOf(path)).toBe('public, max-age=31536000, immutable');
    expect(await cacheOf(path.replace(/assets\/\w+/, 'assets/0123456789abcdef'))).toBe('no-cache');
    expect(await cacheOf('/docs')).toBe('no-cache');
    const guide = await (await service.request('/docs/limits')).text();
    expect(guide).toContain(`.${path.replace('/docs', '').replace('explorer/explorer.js', 'guides/guides.js')}`);
  });

  it('has an icon, also at /favicon.ico', async () => {
    for (const path of ['/favicon.ico', '/docs/assets/current/site/icon.svg']) {
      const icon = await service.request(path);
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    }
  });

  it.each([
    '/docs/LICENSE',
    '/docs/assets/current/nothing.js',
    '/docs/package.json',
    '/docs/index.html',
    '/docs/%2e%2e/package.json',
    '/docs/assets/current/docs/swagger-ui.css',
    '/docs/assets/current/swagger-ui.d.ts',
    '/docs/assets/current/tsconfig.json',
    '/docs//',
  ])('returns 404 at %s', async (path) => {
    expect(await errorOf(await service.request(path))).toMatchObject({ status: 404, code: 'route_not_found' });
  });

  it.each([
    '/',
    '/docs',
    '/docs/',
    '/docs/plans',
    '/favicon.ico',
    '/openapi.json',
    '/openapi.yaml',
    '/docs/assets/current/swagger-ui.css',
  ])('is read only: %s', async (path) => {
    const response = await service.request(path, { method: 'POST', body: '{}' });
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });
});

describe.each([
  '/docs',
  '/docs/',
  '/docs/assets/current/swagger-ui.css',
  '/docs/assets/current/swagger-ui-bundle.js',
  '/docs/plans',
  '/docs/assets/current/explorer/explorer.js',
  '/favicon.ico',
  '/openapi.json',
  '/openapi.yaml',
])('%s', (path) => {
  const get = (headers: Record<string, string> = {}, method = 'GET') => ask(service.port, { method, path, headers });

  it('is compressed if the client accepts it, with Vary', async () => {
    const [plain, gzip] = [await get(), await get({ 'Accept-Encoding': 'gzip, br' })];
    const content = Buffer.from(await plain.arrayBuffer());
    expect([plain, gzip].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect([plain, gzip].map(({ headers }) => headers.get('vary'))).toEqual(Array(2).fill('Accept-Encoding'));
    const body = Buffer.from(await gzip.arrayBuffer());
    expect(gunzipSync(body).equals(content)).toBe(true);
    expect(body.length).toBeLessThan(content.length * 0.6);
  });

  it('has a strong ETag in each coding, and returns 304 for it', async () => {
    const etags = new Set<string>();
    for (const coding of ['identity', 'gzip']) {
      const { headers } = await get({ 'Accept-Encoding': coding });
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      etags.add(etag);
      const again = await get({ 'Accept-Encoding': coding, 'If-None-Match': etag });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
      expect(again.headers.get('cache-control')).toBe('no-cache');
      expect(again.headers.get('vary')).toBe('Accept-Encoding');
      expect(again.headers.has('content-encoding')).toBe(false);
    }
    expect(etags.size).toBe(2);
    expect((await get({ 'If-None-Match': '"another"' })).status).toBe(200);
  });

  it('has the same headers for HEAD and GET', async () => {
    const headersOf = async (method: string) =>
      [...(await get({ 'Accept-Encoding': 'gzip' }, method)).headers]
        .filter(([name]) => name !== 'date' && name !== 'x-request-id')
        .toSorted();
    expect(await headersOf('HEAD')).toEqual(await headersOf('GET'));
    expect(await (await get({}, 'HEAD')).text()).toBe('');
  });
});
