import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { accessibilityFindings, SCREENS, startBrowser } from '../support/browser.js';
import { ExplorerPage } from '../support/explorer-page.js';
import { AMPLE } from '../support/folders.js';

let service: TestApp;
let browser: Browser;
let key: string;
let explorer: ExplorerPage;

beforeAll(async () => {
  service = await startApp();
  browser = await startBrowser();
  key = await service.key(AMPLE);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});
afterEach(() => explorer.close());

describe.each(SCREENS)('the explorer, $width px wide and $colorScheme', (options) => {
  it('has no serious accessibility finding', async () => {
    explorer = await ExplorerPage.open(browser, `${service.origin}/docs`, options);
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
