import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';

let service: TestApp;
let html: string;

beforeAll(async () => {
  service = await startApp({ env: { BASE_URL: 'https://api.petstore.test/v1', STAGING_BASE_URL: 'https://staging.petstore.test/v1' } });
  html = await (await service.request('/docs')).text();
});
afterAll(() => service.stop());

/** Addresses that the page loads, whatever loads them. */
const loads = () => [...html.matchAll(/(?:src|href)=["']([^"']+)/g)].map(([, address = '']) => address).filter((address) => !address.startsWith('#'));

describe('the explorer', () => {
  it('loads nothing from another host, and all that it loads is there', async () => {
    expect(loads()).toHaveLength(6);
    for (const address of loads()) {
      expect(address).toMatch(/^\.\/docs\//);
      const answer = await service.request(new URL(address, `${service.origin}/docs`).pathname);
      expect([address, answer.status]).toEqual([address, 200]);
    }
    const styles = await (await service.request('/docs/swagger-ui.css')).text();
    expect(styles).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//);
  });

  it('forbids the browser to load anything from another host', async () => {
    const { headers } = await service.request('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    // Requests that are tried out may go to any of the servers.
    expect(policy.replace('connect-src *', '')).not.toMatch(/\*|https?:/);
  });

  it('works below a trailing slash too', async () => {
    const page = await (await service.request('/docs/')).text();
    expect(page).toContain('src="./swagger-ui-bundle.js"');
  });

  it('keeps the key over a reload, shows durations and operation ids, opens one operation by link, and offers both servers', async () => {
    const script = await (await service.request('/docs/swagger-ui-init.js')).text();
    for (const option of ['persistAuthorization', 'displayRequestDuration', 'displayOperationId', 'deepLinking', 'tryItOutEnabled']) {
      expect(script).toContain(`"${option}": true`);
    }
    expect(script).toContain('"validatorUrl": null');
    expect(script).toContain('"url": "https://api.petstore.test/v1"');
    expect(script).toContain('"url": "https://staging.petstore.test/v1"');
  });

  it.each(['/docs/LICENSE', '/docs/nothing.js', '/docs/package.json', '/docs/index.html', '/docs/%2e%2e/package.json', '/docs/docs/swagger-ui-init.js', '/docs//'])(
    'has nothing at %s',
    async (path) => {
      expect(await errorOf(await service.request(path))).toMatchObject({ status: 404, code: 'route_not_found' });
    },
  );

  it.each(['/docs', '/docs/', '/openapi.json', '/openapi.yaml'])('is read only: %s', async (path) => {
    const answer = await service.request(path, { method: 'POST', body: '{}' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await errorOf(answer)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it('answers another method of an asset with an Error', async () => {
    expect(await errorOf(await service.request('/docs/swagger-ui.css', { method: 'POST', body: '{}' }))).toMatchObject({ status: 404 });
  });

  it('takes no key and no quota', async () => {
    const { headers } = await service.request('/openapi.json');
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });
});
