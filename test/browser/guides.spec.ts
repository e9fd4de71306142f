import { describe, expect, it } from '@jest/globals';
import { accessibilityFindings, dragOut, overflow, SCREENS, useScreen } from '../support/browser.js';
import { browser, open, openEmpty, page, service, shareBrowser } from '../support/browser-bench.js';
import { until } from '../support/until.js';

shareBrowser();
/** The guides whose tables and code need most room. */
const GUIDES = ['getting-started', 'limits', 'errors', 'managing-keys'];

const field = () => page.getByRole('searchbox');

describe('the search', () => {
  it('finds words of the guides, and lists what is meant among the first three', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    for (const [words, title] of [
      ['idempotency', 'Idempotent requests'],
      ['etag', 'Conditional requests'],
      ['"etag".', 'Conditional requests'],
      ['idempotency-key', 'idempotency_key_reused'],
      ['Retry-After', 'Backing off'],
      ['x-ratelimit-remaining', 'Headers'],
      ['if-match', 'Only if nobody has changed it'],
    ] as const) {
      const hits = page.locator('.search-dialog li');
      await field().fill('');
      await hits.first().waitFor({ state: 'detached' });
      await field().fill(words);
      await hits.first().waitFor();
      const titles = (await hits.locator('strong').allTextContents()).slice(0, 3);
      expect({ words, titles }).toEqual({ words, titles: expect.arrayContaining([title]) });
    }
  });

  it('shows whole words of the text, and closes on the first Escape, also with words in its field', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('python');
    const excerpt = page.locator('.search-dialog li small').first();
    await excerpt.waitFor();
    const shown = (await excerpt.textContent()) ?? '';
    const body = await page.locator('main').innerText();
    const words = new Set(body.split(/\s+/));
    expect(shown.split(/\s+/).filter((word) => word !== '…' && !words.has(word))).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('closes with a click on what is behind it, but not at the end of a selection', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('python');
    await dragOut(page, field());
    expect(await field().isVisible()).toBe(true);
    await page.mouse.click(2, 2);
    await field().waitFor({ state: 'hidden' });
  });

  it('opens the first hit on Enter', async () => {
    await open('/docs/limits');
    await page.keyboard.press('/');
    await field().fill('insufficient_scope');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#*');
    expect(page.url()).toMatch(/#insufficient_scope$/);
  });
});

describe.each([{ width: 320, colorScheme: 'light' } as const, ...SCREENS])(
  'the guides, $width px wide and $colorScheme',
  (options) => {
    it('fit the screen, do not move while they load, and have no accessibility finding, and no broken code in tables', async () => {
      await openEmpty(options);
      await page.addInitScript(`globalThis.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { globalThis.shift += value; }))
        .observe({ type: 'layout-shift', buffered: true });`);
      for (const name of GUIDES) {
        await page.goto(`${service.origin}/docs/${name}`);
        await page.locator('.copy').first().waitFor();
        expect([name, await overflow(page)]).toEqual([name, 0]);
        expect(await page.evaluate<number>('globalThis.shift')).toBeLessThan(0.1);
        if (name !== 'limits') continue;
        const lines = await page.locator('td code').evaluateAll((all) => all.map((one) => one.getClientRects().length));
        expect(new Set(lines)).toEqual(new Set([1]));
      }
      expect(await accessibilityFindings(page)).toEqual([]);
    });
  },
);

const colour = (selector: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).borderBottomColor`);

describe('the guides', () => {
  it('show a closed list of all guides on a narrow screen, and the whole list beside the text on a wide one', async () => {
    await open('/docs/errors', { width: 390 });
    const link = page.getByRole('link', { name: 'Limits', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('All guides').click();
    expect(await link.isVisible()).toBe(true);
    await page.getByText('All guides').click();
    await page.setViewportSize({ width: 1280, height: 850 });
    expect(await link.isVisible()).toBe(true);
    await link.click();
    await page.waitForURL('**/docs/limits');
  });

  it('mark the section that is read, and keep the other guides in sight beside a long list of sections', async () => {
    await open('/docs/errors#429-too-many-requests');
    const sections = page.getByLabel('Sections of this guide');
    const here = sections.locator('[aria-current="location"]');
    await here.getByText('429').waitFor();
    expect(await here.count()).toBe(1);
    const [list, link] = [await sections.boundingBox(), await here.boundingBox()];
    expect(link?.y).toBeGreaterThanOrEqual(list?.y ?? NaN);
    expect((link?.y ?? 0) + (link?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0));
    const next = page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Limits', exact: true });
    expect((await next.boundingBox())?.y).toBeLessThan(850);
    await sections.focus();
    expect(await sections.evaluate((focused) => focused === focused.ownerDocument.activeElement)).toBe(true);
  });

  it('keep the lines of code, which scroll by keyboard, Copy covers none of them, and the buttons of the header are round', async () => {
    await open('/docs/limits', { width: 390 });
    const block = page.locator('.block', { hasText: 'from urllib.request' });
    const code = block.locator('pre');
    expect(await code.evaluate((pre) => pre.scrollWidth > pre.clientWidth)).toBe(true);
    const [button, text] = [await block.getByRole('button').boundingBox(), await code.locator('code').boundingBox()];
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(text?.y ?? 0);
    await code.focus();
    await page.keyboard.press('ArrowRight');
    await until(() => page.evaluate<boolean>('document.activeElement.scrollLeft > 0'));
    await useScreen(page, { width: 320 });
    for (const round of await page.locator('.site-header button').all()) {
      const { width, height } = (await round.boundingBox()) ?? {};
      expect(width).toBe(height);
    }
  });

  it('say how to copy where the browser does not let them, as over HTTP', async () => {
    await openEmpty();
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.goto(`${service.origin}/docs/limits`);
    const button = page.locator('.copy').first();
    await button.click();
    expect(await button.textContent()).toBe('Select the text to copy it');
  });

  it('are printed without what leads elsewhere, and show the current page and the edges of code in forced colours', async () => {
    await open('/docs/limits');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.site-header', '.side', '.copy'])
      expect(await page.locator(part).first().isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await page.emulateMedia({ forcedColors: 'active' });
    const [here, elsewhere] = [
      await colour('.site-header [aria-current]'),
      await colour('.site-header nav a:not([aria-current])'),
    ];
    const background = await page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`);
    expect(elsewhere).toBe(background);
    expect(here).not.toBe(background);
    expect(await colour('.guide pre')).not.toBe(background);
  });
});

describe('without scripts', () => {
  it('the pages show nothing that needs them', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${service.origin}/docs`);
    for (const part of ['#search', '#theme', '#loading', '.contents'])
      expect(await plain.locator(part).isVisible()).toBe(false);
    expect(await plain.locator('noscript p').isVisible()).toBe(true);
    await plain.goto(`${service.origin}/docs/limits`);
    expect(await plain.getByRole('link', { name: 'Errors', exact: true }).isVisible()).toBe(true);
    await context.close();
  });
});
