import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { accessibilityFindings, SCREENS } from '../support/browser.js';
import { BrowserBench } from '../support/browser-bench.js';
import { ExplorerPage } from '../support/explorer-page.js';
import { AMPLE } from '../support/folders.js';

let bench: BrowserBench;
let key: string;
let explorer: ExplorerPage;

beforeAll(async () => {
  bench = await BrowserBench.start();
  key = await bench.service.key(AMPLE);
});
afterAll(() => bench.stop());
afterEach(() => explorer.close());

describe.each(SCREENS)('the explorer, $width px wide and $colorScheme', (options) => {
  it('has no serious accessibility finding', async () => {
    explorer = await ExplorerPage.open(bench.browser, `${bench.service.origin}/docs`, options);
    const { page } = explorer;
    expect(await accessibilityFindings(page)).toEqual([]);
    await explorer.authorizeButton().click();
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('API key').fill(`${key}?`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('.key-summary').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.locator('.introduction details > summary').click();
    await explorer.openOperation('Pets', 'listPets');
    await explorer.execute('Pets', 'listPets', 200);
    const found = await explorer.openOperation('Pets', 'getPet');
    await found.locator('details.response-headers > summary').click();
    await found.getByRole('tab', { name: 'Schema' }).first().click();
    await explorer.openOperation('Pets', 'createPet');
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});
