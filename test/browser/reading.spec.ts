import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { BrowserBench } from '../support/browser-bench.js';
import { ExplorerPage } from '../support/explorer-page.js';
import { until } from '../support/until.js';

let bench: BrowserBench;
let explorer: ExplorerPage;

beforeAll(async () => {
  bench = await BrowserBench.start();
});
afterAll(() => bench.stop());
afterEach(() => explorer.close());

/** Whether a person sees the middle of an element: nothing lies over it, and it is within the window. */
const isSeen = (found: Locator) =>
  found.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

describe('the explorer', () => {
  it('says what it cannot show of a response, and why there is none', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`);
    const found = await explorer.openOperation('Usage', 'getUsage');
    const execute = () => found.getByRole('button', { name: 'Execute' }).click();
    const address = '**/v1/usage';
    await explorer.page.route(address, (route) => route.fulfill({ contentType: 'image/png', body: 'picture' }));
    await execute();
    await found.getByText('7 bytes of image/png').waitFor();
    await explorer.page.unroute(address);
    await explorer.page.route(address, (route) => route.abort());
    await execute();
    await found.locator('.live-code', { hasText: 'No response' }).waitFor();
    expect(await found.locator('.live-response').textContent()).toMatch(/^No responseThe server cannot be reached, or/);
  });

  it('says in words what the service accepts', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`);
    const words = async (id: string) =>
      (await explorer.openOperation('Pets', id)).locator('.parameters .constraints').allTextContents();
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
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, { width: 390 });
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
});

describe.each([{ width: 390 }, { width: 1280 }])('the explorer, $width px wide', (options) => {
  it('shows the schemas of requests and responses', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, options);
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
    const { headers } = await bench.service.request('/v1/pets/1', { key: await bench.service.key() });
    const path = /<([^>]+)>; rel="deprecation"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}${path}`, options);
    const found = explorer.operation('Pets', 'getPet');
    await found.getByRole('button', { name: 'Execute' }).waitFor();
    expect(await isSeen(found.locator('.operation-name'))).toBe(true);
  });

  it('shows the heading of the last operation, and of another when the address changes', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs#/Store/changeOrder`, options);
    const { page } = explorer;
    const opened = async (tag: string, id: string) => {
      const found = explorer.operation(tag, id);
      await found.getByRole('button', { name: 'Execute' }).waitFor();
      return isSeen(found.locator('.operation-name'));
    };
    expect(await opened('Store', 'changeOrder')).toBe(true);
    await page.evaluate(`location.hash = '#/Keys/rotateKey'`);
    expect(await opened('Keys', 'rotateKey')).toBe(true);
  });

  it('keeps the response in view, and the focus near it, however long the form is', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, options);
    await explorer.authorize(await bench.service.key());
    const found = await explorer.openOperation('Pets', 'listPets');
    const execute = found.getByRole('button', { name: 'Execute' });
    await execute.scrollIntoViewIfNeeded();
    await execute.focus();
    await explorer.page.keyboard.press('Enter');
    const status = found.locator('.live-code');
    await status.waitFor();
    await until(() => isSeen(status));
    expect(await explorer.page.evaluate('document.activeElement.className')).toBe('live-response');
  });

  it('removes a response when the next request is not sent', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, options);
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
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, options);
    const { page } = explorer;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await until(() => page.evaluate<boolean>(`document.activeElement.id === 'content'`));
    expect(await isSeen(page.getByRole('heading', { level: 1 }))).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main').id`)).toBe('content');
  });
});

describe('the contents beside the operations', () => {
  it('add one entry to the history for each operation that is chosen', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`);
    const { page } = explorer;
    const choose = (name: string) => page.getByRole('navigation', { name: 'Operations' }).getByText(name).click();
    await choose('Rotate an API key');
    await page.waitForURL('**/docs#/Keys/rotateKey');
    await choose('Get a pet');
    await page.waitForURL('**/docs#/Pets/getPet');
    await page.goBack();
    expect(page.url()).toMatch(/#\/Keys\/rotateKey$/);
  });
});
