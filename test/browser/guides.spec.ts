import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type PageOptions, type Visit, visit } from '../support/browser.js';
import { BrowserBench } from '../support/browser-bench.js';

let bench: BrowserBench;
let current: Visit;
let page: Page;

beforeAll(async () => {
  bench = await BrowserBench.start();
});
afterAll(() => bench.stop());
afterEach(async () => {
  await page.context().close();
  if (current.errors.length > 0) throw new Error(`The page reported errors: ${current.errors.join('\n')}`);
});

async function open(path: string, options: PageOptions = {}): Promise<void> {
  current = await visit(bench.browser, options);
  ({ page } = current);
  await page.goto(bench.service.origin + path);
}

const field = () => page.getByRole('searchbox');

describe('the search', () => {
  it.each([
    ['idempotency', 'Idempotent requests'],
    ['etag', 'Conditional requests'],
    ['"etag".', 'Conditional requests'],
    ['idempotency-key', 'idempotency_key_reused'],
    ['Retry-After', 'Backing off'],
    ['x-ratelimit-remaining', 'Headers'],
    ['if-match', 'Only if nobody has changed it'],
  ])('finds %s, and lists %s among the first three', async (words, title) => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill(words);
    await page.locator('.search-dialog li').first().waitFor();
    expect((await page.locator('.search-dialog li strong').allTextContents()).slice(0, 3)).toContain(title);
  });

  it('opens the first hit on Enter', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('insufficient_scope');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#*');
    expect(page.url()).toMatch(/#insufficient_scope$/);
  });

  it('closes on the first Escape, also with words in its field', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('etag');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('shows whole words of the text', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('python');
    const excerpt = page.locator('.search-dialog li small').first();
    await excerpt.waitFor();
    const shown = (await excerpt.textContent()) ?? '';
    const body = await page.locator('main').innerText();
    const words = new Set(body.split(/\s+/));
    expect(shown.split(/\s+/).filter((word) => word !== '…' && !words.has(word))).toEqual([]);
  });
});
