import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import type { TestAppOptions } from './app.js';
import { type PageOptions, startBrowser, type Visit, visit } from './browser.js';
import { ExplorerPage } from './explorer-page.js';
import { AMPLE, key, service, shareApp } from './folders.js';

export { key, service };

export let browser: Browser;

export let explorer: ExplorerPage;

/** That of the explorer, or the one that was opened last. */
export let page: Page;

const visits: Visit[] = [];

/** Starts an app with a key, and a browser, for all tests of the file. Fails if a page reports errors. */
export function shareBrowser(options: TestAppOptions = {}, newKey: Partial<NewKey> = AMPLE): void {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  shareApp(options, newKey);
  afterEach(async () => {
    const opened = visits.splice(0);
    for (const one of opened) await one.page.context().close();
    expect(opened.flatMap(({ errors }) => errors)).toEqual([]);
  });
}

/**
 * Opens the API reference for all tests of the file or of the surrounding `describe`: it takes most of the time of a test.
 * Each test finds no key, no dialog, no open operation and no response. What was typed into a form stays.
 */
export function shareExplorer(options: PageOptions = {}): void {
  let shared: Visit;
  beforeAll(async () => {
    shared = await visit(browser, options);
    explorer = new ExplorerPage(shared.page);
    await explorer.load(service.origin);
  });
  beforeEach(async () => {
    ({ page } = explorer);
    await explorer.reset(service.origin, options);
  });
  afterEach(() => expect(shared.errors.splice(0)).toEqual([]));
  afterAll(() => shared.page.context().close());
}

/** Opens a page of the service in a session of its own, which ends with the test. */
export async function open(path: string, options: PageOptions = {}): Promise<Page> {
  await openEmpty(options);
  await page.goto(service.origin + path);
  return page;
}

/** A session without a page yet. */
export async function openEmpty(options: PageOptions = {}): Promise<Page> {
  const opened = await visit(browser, options);
  visits.push(opened);
  ({ page } = opened);
  return page;
}

export async function openExplorer(options: PageOptions = {}, path = '/docs'): Promise<ExplorerPage> {
  const opened = new ExplorerPage(await openEmpty(options));
  await opened.load(service.origin, path);
  return opened;
}

/** Types a key, or what is none, where the page asks for one. */
export async function give(text: string): Promise<void> {
  await page.getByLabel('API key').fill(text);
  await page.keyboard.press('Enter');
}
