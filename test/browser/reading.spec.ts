import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { accessibilityFindings, SCREENS, useScreen, visit } from '../support/browser.js';
import {
  browser,
  explorer,
  give,
  key,
  openEmpty,
  openExplorer,
  page,
  service,
  shareBrowser,
  shareExplorer,
} from '../support/browser-bench.js';
import { until } from '../support/until.js';

const BUNDLE = '**/docs/assets/*/swagger-ui-bundle.js';

shareBrowser();

/** Whether a person sees the middle of an element: nothing lies over it, and it is within the window. */
const isSeen = (found: Locator) =>
  found.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

/** What the page says about the parameters of an operation on pets. */
const words = async (id: string) =>
  (await explorer.openOperation('Pets', id)).locator('.parameters .constraints').allTextContents();

const choose = (name: string) => page.getByRole('navigation', { name: 'Operations' }).getByText(name).click();

describe('the explorer', () => {
  shareExplorer();

  it('says what it cannot show of a response, and why there is none', async () => {
    const found = await explorer.openOperation('Usage', 'getUsage');
    const execute = () => found.getByRole('button', { name: 'Execute' }).click();
    const address = '**/v1/usage';
    await page.route(address, (route) => route.fulfill({ contentType: 'image/png', body: 'picture' }));
    await execute();
    await found.getByText('7 bytes of image/png').waitFor();
    await page.unroute(address);
    await page.route(address, (route) => route.abort());
    await execute();
    await found.locator('.live-code', { hasText: 'No response' }).waitFor();
    expect(await found.locator('.live-response').textContent()).toMatch(/^No responseThe server cannot be reached, or/);
  });

  it('says in words what the service accepts', async () => {
    expect(await words('listPets')).toEqual([
      '1 to 100, default 20.',
      '1 to 100 items, each at least 1.',
      'At least 1.',
      String.raw`At most 4,096 characters. Matches ^[\t -~\u0080-\u00ff]*$`,
      String.raw`At most 4,096 characters. Matches ^[\t -~\u0080-\u00ff]*$`,
    ]);
    expect(await words('createPet')).toEqual([
      String.raw`1 to 512 characters. Matches ^(?:"(?:[ !#-\[\]-~]|\\["\\]){1,255}"|[ !#-~][ -~]{0,254})$`,
    ]);
  });

  it('wraps bodies between words', async () => {
    await useScreen(page, { width: 390 });
    const found = await explorer.openOperation('Usage', 'getUsage');
    await explorer.send('Usage', 'getUsage');
    const lines = await found.locator('.live-body code').evaluate((code) => {
      const range = code.ownerDocument.createRange();
      const walker = code.ownerDocument.createTreeWalker(code, 4);
      const tops = new Map<number, string>();
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const [index, character] of [...(node.textContent ?? '')].entries()) {
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          const top = Math.round(range.getBoundingClientRect().bottom);
          tops.set(top, (tops.get(top) ?? '') + character);
        }
      return [...tops.values()].map((line) => line.trim());
    });
    expect(lines.join(' ')).toContain('This operation needs an API key. Send it as');
  });

  it('has contents, which add one entry to the history for each operation that is chosen', async () => {
    await choose('Rotate an API key');
    await page.waitForURL('**/docs#/Keys/rotateKey');
    await choose('Get a pet');
    await page.waitForURL('**/docs#/Pets/getPet');
    await page.goBack();
    expect(page.url()).toMatch(/#\/Keys\/rotateKey$/);
  });

  it.each(SCREENS)('has no accessibility finding, $width px wide and $colorScheme', async (screen) => {
    await useScreen(page, screen);
    expect(await accessibilityFindings(page)).toEqual([]);
    await explorer.authorizeButton().click();
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityFindings(page, 'dialog.authorization')).toEqual([]);
    await give(`${key}?`);
    await page.getByRole('alert').waitFor();
    expect(await accessibilityFindings(page, 'dialog.authorization')).toEqual([]);
    await give(key);
    await page.locator('.key-summary').waitFor();
    expect(await accessibilityFindings(page, 'dialog.authorization')).toEqual([]);
    await page.keyboard.press('Escape');

    await page.locator('.introduction details').evaluate((more) => more.setAttribute('open', ''));
    await explorer.openOperation('Pets', 'listPets');
    await explorer.execute('Pets', 'listPets', 200);
    const found = await explorer.openOperation('Pets', 'getPet');
    await found.locator('details.response-headers > summary').click();
    await found.getByRole('tab', { name: 'Schema' }).first().click();
    await explorer.openOperation('Pets', 'createPet');
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});

describe.each([{ width: 390 }, { width: 1280 }])('the explorer, $width px wide', (options) => {
  shareExplorer(options);

  it('shows the schemas of requests and responses', async () => {
    const found = await explorer.openOperation('Pets', 'createPet');
    await found.locator('.response-row[data-code="400"] button').click();
    const tabs = await found.getByRole('tab', { name: 'Schema' }).all();
    expect(tabs).toHaveLength(3);
    for (const tab of tabs) await tab.click();
    const schemas = await found.locator('.model-box').all();
    expect(schemas).toHaveLength(3);
    for (const schema of schemas) {
      await schema.scrollIntoViewIfNeeded();
      const title = schema.locator('.json-schema-2020-12__title').first();
      expect(await isSeen(title)).toBe(true);
      const { width = 0, height = 0 } = (await schema.boundingBox()) ?? {};
      expect(width).toBeGreaterThan(200);
      expect(height).toBeGreaterThan(50);
    }
    const property = found.locator('.response-row[data-code="201"] + tr').getByText('categoryId', { exact: true });
    await property.scrollIntoViewIfNeeded();
    expect(await isSeen(property)).toBe(true);
  });

  it('shows the heading of the operation that a link of a deprecation opens', async () => {
    const { headers } = await service.request('/v1/pets/1', { key: await service.key() });
    const path = /<([^>]+)>; rel="deprecation"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const opened = await openExplorer(options, path);
    const found = opened.operation('Pets', 'getPet');
    await found.getByRole('button', { name: 'Execute' }).waitFor();
    expect(await isSeen(found.locator('.operation-name'))).toBe(true);
  });

  it('shows the heading of the last operation, and of another when the address changes', async () => {
    const fresh = await openExplorer(options, '/docs#/Store/changeOrder');
    const opened = async (tag: string, id: string) => {
      const found = fresh.operation(tag, id);
      await found.getByRole('button', { name: 'Execute' }).waitFor();
      return isSeen(found.locator('.operation-name'));
    };
    expect(await opened('Store', 'changeOrder')).toBe(true);
    await fresh.page.evaluate(`location.hash = '#/Keys/rotateKey'`);
    expect(await opened('Keys', 'rotateKey')).toBe(true);
  });

  it('keeps the response in view, and the focus near it, however long the form is', async () => {
    await explorer.authorize(await service.key());
    const found = await explorer.openOperation('Pets', 'listPets');
    const execute = found.getByRole('button', { name: 'Execute' });
    await execute.scrollIntoViewIfNeeded();
    await execute.focus();
    await page.keyboard.press('Enter');
    const status = found.locator('.live-code');
    await status.waitFor();
    await until(() => isSeen(status));
    expect(await page.evaluate('document.activeElement.className')).toBe('live-response');
  });

  it('removes a response when the next request is not sent', async () => {
    const found = await explorer.openOperation('Pets', 'listPets');
    const execute = found.getByRole('button', { name: 'Execute' });
    await execute.click();
    await found.locator('.live-response').waitFor();
    await found.getByPlaceholder('limit', { exact: true }).fill('1000');
    // Swagger UI takes the value after a moment.
    await found.locator('.sample').getByText('limit=1000').waitFor();
    await execute.click();
    await found.locator('.live-response').waitFor({ state: 'detached' });
    expect(await found.locator('.validation-errors').textContent()).toContain('limit');
  });

  it('skips to the content by keyboard', async () => {
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await until(() => page.evaluate<boolean>(`document.activeElement.id === 'content'`));
    expect(await isSeen(page.getByRole('heading', { level: 1 }))).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main').id`)).toBe('content');
  });
});

describe.each([{ width: 390 }, { width: 1280 }])('the first paint of the explorer, $width px wide', (options) => {
  it('shows what to know first before Swagger UI is loaded, and does not move it', async () => {
    await openEmpty(options);
    const load = Promise.withResolvers<undefined>();
    await page.route(BUNDLE, async (route) => {
      await load.promise;
      await route.continue();
    });
    await page.goto(`${service.origin}/docs`, { waitUntil: 'commit' });
    const plans = page.locator('.plan-limits');
    await plans.waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('Authorization: Bearer <API_KEY>');
    expect(text).toContain('Pro 300 a minute, 10,000 a day');
    expect(await page.locator('.opblock').count()).toBe(0);
    // Not waitForFunction, whose second look the Content-Security-Policy refuses.
    await until(() => page.evaluate<boolean>(`performance.getEntriesByName('first-contentful-paint').length === 1`));
    const place = await plans.boundingBox();

    load.resolve(undefined);
    await page.locator('.opblock').first().waitFor();
    expect(await plans.boundingBox()).toEqual(place);
  });
});

describe('the explorer', () => {
  it('says that Swagger UI cannot be loaded', async () => {
    const { page: opened } = await visit(browser);
    await opened.route(BUNDLE, (route) => route.abort());
    await opened.goto(`${service.origin}/docs`);
    await opened.getByText('The operations cannot be loaded. Reload the page to try again.').waitFor();
    expect(await opened.locator('main').innerText()).toContain('Authorization: Bearer <API_KEY>');
    await opened.context().close();
  });
});
