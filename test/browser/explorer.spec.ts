import { describe, expect, it } from '@jest/globals';
import { overflow, useScreen } from '../support/browser.js';
import { explorer, give, key, page, shareBrowser, shareExplorer } from '../support/browser-bench.js';
import { until } from '../support/until.js';

shareBrowser({
  env: { BASE_URL: 'https://api.petstore.test/v1', STAGING_BASE_URL: 'https://staging.petstore.test/v1' },
});
shareExplorer();

const badgesOf = (tag: string, id: string) => explorer.operation(tag, id).locator('.badge').allTextContents();

const opacity = (selector: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).opacity`);

const backgroundOf = (selector: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);

const indent = (text: string) =>
  page.evaluate<string>(
    `import('/docs/assets/current/explorer/exact-json.js').then(({ indentJson }) => indentJson(${JSON.stringify(text)}))`,
  );

const LARGEST = '9223372036854775807';

const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

const listedIds = () => page.locator('.opblock-tag-section .operation-id').allTextContents();

describe('the explorer', () => {
  it('loads at most 800 KB, of which little more than styles delays the first paint', async () => {
    const resources = await page.evaluate<{ name: string; transferSize: number; renderBlockingStatus: string }[]>(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => entry.toJSON())`,
    );
    const namesOf = (list: typeof resources) =>
      list.map(({ name }) => new URL(name).pathname.replace(/^\/docs\/assets\/\w+\//, ''));
    const bytes = (list: typeof resources) => list.reduce((sum, { transferSize }) => sum + transferSize, 0);
    expect(namesOf(resources)).toContain('swagger-ui-bundle.js');
    expect(bytes(resources)).toBeGreaterThan(100_000);
    expect(bytes(resources)).toBeLessThan(800_000);
    const blocking = resources.filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking');
    expect(namesOf(blocking).toSorted()).toEqual(['explorer/explorer.css', 'site/site.css', 'site/theme.js']);
    expect(bytes(blocking)).toBeLessThan(60_000);
  });

  it('fits the screen with an operation and its responses open', async () => {
    const found = await explorer.openOperation('Pets', 'createPet');
    for (const row of await found.locator('.response-row:not([data-code="201"]) button').all()) await row.click();
    for (const summary of await found.locator('details.response-headers > summary').all()) await summary.click();
    for (const width of [390, 1280]) {
      await useScreen(page, { width });
      expect([width, await overflow(page)]).toEqual([width, 0]);
    }
  });
  it.each(['light', 'dark'] as const)('has the %s background of the other pages', async (colorScheme) => {
    await useScreen(page, { colorScheme });
    expect(await backgroundOf('body')).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(15, 20, 26)');
    expect(await backgroundOf('.swagger-ui')).toBe('rgba(0, 0, 0, 0)');
  });

  it('shows the stability of each operation', async () => {
    expect(await badgesOf('Pets', 'listPets')).toEqual(['stable']);
    expect(await badgesOf('Categories', 'getCategory')).toEqual(['beta']);
    expect(await badgesOf('Store', 'placeOrder')).toEqual(['experimental']);
    expect(await badgesOf('Pets', 'getPet')).toEqual(['deprecated, removal on December 5, 2030']);
  });

  it('fades only the summary row of a deprecated operation', async () => {
    const found = await explorer.openOperation('Pets', 'getPet');
    expect(await found.getAttribute('class')).toContain('opblock-deprecated');
    expect(await opacity('#operations-Pets-getPet')).toBe('1');
    expect(await opacity('#operations-Pets-getPet .opblock-body')).toBe('1');
  });

  it('shows responses as code and meaning, the success with its example, and headers on demand', async () => {
    const found = await explorer.openOperation('Pets', 'listPets');
    const rows = found.locator('.response-row');
    expect(await rows.count()).toBeGreaterThan(5);
    expect(await found.locator('tr.response').count()).toBe(1);
    expect(await found.locator('.response-row[data-code="200"] + tr.response pre').isVisible()).toBe(true);
    expect(await found.locator('.response-row[data-code="401"]').textContent()).toMatch(/invalid_api_key/);
    const headers = found.locator('tr.response details.response-headers');
    expect(await headers.getByText('X-RateLimit-Remaining').isVisible()).toBe(false);
    await headers.locator('summary').click();
    expect(await headers.getByText('X-RateLimit-Remaining').isVisible()).toBe(true);
  });

  it('filters operations by summary, path and stability, in a field to which the key / leads', async () => {
    await page.keyboard.press('/');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('operation-filter');
    const filter = page.getByLabel('Filter operations');
    const filterBy = async (phrase: string, ...ids: string[]) => {
      await filter.fill(phrase);
      await until(async () => (await listedIds()).toString() === ids.toString());
    };
    const all = await listedIds();
    await filterBy('post /store', 'placeOrder');
    await filterBy('EXPERIMENTAL get', 'listOrders', 'getOrder', 'listWebhooks', 'getWebhook', 'listDeliveries');
    await filterBy('deprecated', 'getPet');
    await filterBy('stable pets', 'listPets', 'createPet');
    await filterBy('nothing like it');
    expect(await page.locator('.nothing-found').textContent()).toContain('nothing like it');
    await filterBy('', ...all);
    expect(await page.locator('.operation-count').textContent()).toBe(`${all.length} operations`);
  });

  it('calls its own server by default, and offers the others', async () => {
    const servers = page.getByLabel('Server', { exact: true });
    expect(await servers.inputValue()).toBe('/v1');
    expect(await servers.locator('option').allTextContents()).toEqual([
      '/v1 - This server',
      'https://api.petstore.test/v1 - Production',
      'https://staging.petstore.test/v1 - Staging',
    ]);
  });

  it('explains where a key comes from and where the browser stores it', async () => {
    await explorer.authorizeButton().click();
    const text = (await page.getByRole('dialog').textContent()) ?? '';
    expect(text).toContain('keys -- create');
    expect(text).toContain('keys:manage');
    expect(text).toContain('This browser stores the key');
  });

  it('accepts a key with surrounding white space or "Bearer"', async () => {
    await explorer.authorizeButton().click();
    await give(` Bearer ${key}\n`);
    await page.locator('.key-summary').waitFor();
    await page.keyboard.press('Enter');
    await explorer.openOperation('Pets', 'listPets');
    expect(await explorer.execute('Pets', 'listPets', 200)).toMatch(/^\[/);
  });

  it('shows the duration of the request as the browser measured it, also for errors', async () => {
    await page.evaluate(`(() => {
      globalThis.measured = [];
      new PerformanceObserver((list) => measured.push(...list.getEntries().filter(({ name }) => name.includes('/v1/'))))
        .observe({ type: 'resource' });
    })()`);
    await explorer.openOperation('Pets', 'listPets');
    await explorer.execute('Pets', 'listPets', 401);
    const shown = (await explorer.operation('Pets', 'listPets').locator('.live-duration').textContent()) ?? '';
    await until(() => page.evaluate<boolean>('measured.length === 1'));
    const measured = await page.evaluate<number>('measured[0].duration');
    expect(Math.abs(Number.parseFloat(shown) - measured)).toBeLessThan(0.51);
  });

  it('links to both documents', async () => {
    for (const name of ['openapi.json', 'openapi.yaml']) {
      const address = (await page.getByRole('link', { name }).getAttribute('href')) ?? '';
      expect((await fetch(address)).status).toBe(200);
    }
  });

  it('indents JSON without changing a token', async () => {
    const value = { a: [1, { b: -1.5 }], c: [], d: {}, e: '{[,:]} " \\', f: [[null], true] };
    expect(await indent(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(await indent(`[${LARGEST},1.0,-1E+2]`)).toBe(`[\n  ${LARGEST},\n  1.0,\n  -1E+2\n]`);
    expect(await indent('"text"')).toBe('"text"');
    expect(await indent('{"cut":')).toBe('{"cut":');
  });

  it.each([390, 1280])(
    'leads from the first key to an order, and keeps the key after a reload, %i px wide',
    async (width) => {
      await useScreen(page, { width });
      await explorer.authorize(key);

      await explorer.openOperation('Pets', 'createPet');
      const newPet = JSON.stringify({ name: 'Nala', categoryId: 0, status: 'available' }).replace('0', LARGEST);
      await explorer.operation('Pets', 'createPet').locator('textarea').fill(newPet);
      const created = await explorer.execute('Pets', 'createPet', 201);
      expect(created).toContain(`"categoryId": ${LARGEST}`);
      const id = /"id": ([0-9]+)/.exec(created)?.[1] ?? '';

      await explorer.openOperation('Pets', 'listPets');
      expect(await explorer.execute('Pets', 'listPets', 200)).toContain(LARGEST);
      await expect(explorer.operation('Pets', 'listPets').locator('.live-quota').textContent()).resolves.toMatch(
        /^[\d,]+ of 1,000,000 requests left until (?:[A-Z]\w+ \d+ at )?[\d:]+ [AP]M [A-Z][A-Z0-9+:-]*$/,
      );

      await explorer.openOperation('Store', 'placeOrder');
      await explorer.operation('Store', 'placeOrder').locator('textarea').fill(`{"petId": ${id}}`);
      expect(await explorer.execute('Store', 'placeOrder', 201)).toContain(`"petId": ${id}`);
      expect(await overflow(page)).toBe(0);

      await page.reload();
      await explorer.openOperation('Pets', 'listPets');
      await explorer.execute('Pets', 'listPets', 200);

      await explorer.authorizeButton().click();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await explorer.execute('Pets', 'listPets', 401)).toContain('missing_api_key');
      await expect(explorer.operation('Pets', 'listPets').locator('.live-advice').textContent()).resolves.toContain(
        'Authorize',
      );
      await expect(explorer.operation('Pets', 'listPets').locator('.live-quota').textContent()).resolves.toMatch(
        /^\d+ of 300 requests without a valid key left until (?:[A-Z]\w+ \d+ at )?[\d:]+ [AP]M [A-Z][A-Z0-9+:-]*$/,
      );
    },
  );

  it('remembers the light or dark theme', async () => {
    await useScreen(page, { colorScheme: 'light' });
    const light = await background();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
  });
});
