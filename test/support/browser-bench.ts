import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestAppOptions } from './app.js';
import { type PageOptions, startBrowser, type Visit, visit } from './browser.js';
import { ExplorerPage } from './explorer-page.js';
import { service, sharePreparedApp } from './folders.js';

export { service };

export let browser: Browser;

export let explorer: ExplorerPage;

const visits: Visit[] = [];

/** Starts an app, which `prepare` completes, and a browser, for all tests of the file. Fails if a page reports errors. */
export function shareBrowser(options: TestAppOptions = {}, prepare?: () => Promise<void>): void {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  sharePreparedApp(options, prepare);
  afterEach(async () => {
    const opened = visits.splice(0);
    for (const { page } of opened) await page.context().close();
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
  beforeEach(() => explorer.reset(service.origin, options));
  afterEach(() => expect(shared.errors.splice(0)).toEqual([]));
  afterAll(() => shared.page.context().close());
}

/** Opens a page of the service in a session of its own, which ends with the test. */
export async function open(path: string, options: PageOptions = {}): Promise<Page> {
  const page = await openEmpty(options);
  await page.goto(service.origin + path);
  return page;
}

/** A session without a page yet. */
export async function openEmpty(options: PageOptions = {}): Promise<Page> {
  const opened = await visit(browser, options);
  visits.push(opened);
  return opened.page;
}

export async function openExplorer(options: PageOptions = {}, path = '/docs'): Promise<ExplorerPage> {
  const opened = new ExplorerPage(await openEmpty(options));
  await opened.load(service.origin, path);
  return opened;
}
