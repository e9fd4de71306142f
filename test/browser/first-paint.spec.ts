import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visit } from '../support/browser.js';
import { BrowserBench } from '../support/browser-bench.js';

const BUNDLE = '**/docs/swagger-ui-bundle.js';

let bench: BrowserBench;

beforeAll(async () => {
  bench = await BrowserBench.start();
});
afterAll(() => bench.stop());

describe.each([{ width: 390 }, { width: 1280 }])('the first paint of the explorer, $width px wide', (options) => {
  it('shows what to know first before Swagger UI is loaded, and does not move it', async () => {
    const { page, errors } = await visit(bench.browser, options);
    const load = Promise.withResolvers<undefined>();
    await page.route(BUNDLE, async (route) => {
      await load.promise;
      await route.continue();
    });
    await page.goto(`${bench.service.origin}/docs`, { waitUntil: 'commit' });
    const plans = page.locator('.plan-limits');
    await plans.waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('Authorization: Bearer <API_KEY>');
    expect(text).toContain('Pro 300 a minute, 10,000 a day');
    expect(await page.locator('.opblock').count()).toBe(0);
    await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length === 1`);
    const place = await plans.boundingBox();

    load.resolve(undefined);
    await page.locator('.opblock').first().waitFor();
    expect(await plans.boundingBox()).toEqual(place);
    await page.context().close();
    expect(errors).toEqual([]);
  });
});

describe('the explorer', () => {
  it('says that Swagger UI cannot be loaded', async () => {
    const { page } = await visit(bench.browser);
    await page.route(BUNDLE, (route) => route.abort());
    await page.goto(`${bench.service.origin}/docs`);
    await page.getByText('The operations cannot be loaded. Reload the page to try again.').waitFor();
    expect(await page.locator('main').innerText()).toContain('Authorization: Bearer <API_KEY>');
    await page.context().close();
  });
});
