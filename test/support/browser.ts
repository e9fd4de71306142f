import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

/** Timeout for page loads and requests on a busy machine. */
const PATIENCE_MS = 240_000;

const HEIGHT = 850;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface PageOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** Phone, tablet, laptop and desktop, and each colour scheme on a narrow and on a wide screen. */
export const SCREENS: readonly Required<PageOptions>[] = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 768, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 1920, colorScheme: 'light' },
];

/** A page in a separate browser session, and the errors on it. */
export interface Visit {
  readonly page: Page;
  /** Script and console errors, except 4xx responses to API calls, and requests to other hosts. */
  readonly errors: string[];
}

export function startBrowser(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const executablePath = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('Chromium is not installed.');
  // The browser opens only our pages, and a container may not support the sandbox.
  return chromium.launch({ executablePath, chromiumSandbox: false });
}

export async function useScreen(page: Page, { width = 1280, colorScheme = 'light' }: PageOptions): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.emulateMedia({ colorScheme });
  // The page changes its colours before the next frame. Those of buttons pass through others.
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
    for (const change of document.getAnimations()) if (change instanceof CSSTransition) change.finish();
  })`);
}

export async function visit(
  browser: Browser,
  { width = 1280, colorScheme = 'light' }: PageOptions = {},
): Promise<Visit> {
  const viewport = { width, height: HEIGHT };
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isOwn = ['localhost', '127.0.0.1'].includes(hostname) || ['data:', 'blob:'].includes(protocol);
    if (!isOwn) errors.push(`request to ${request.url()}`);
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource') && message.location().url.includes('/v1/');
    if ((message.type() === 'error' || message.type() === 'warning') && !isRefusal) errors.push(message.text());
  });
  return { page, errors };
}

/** Returns the accessibility violations that axe-core finds on a page, or in a part of it. */
export async function accessibilityFindings(page: Page, part = 'html'): Promise<string[]> {
  // The debugger evaluates the script, so the page's Content-Security-Policy does not block it.
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run('${part}', { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? ''))))`);
}

/** Returns by how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** Selects the text of a field of a dialog with the mouse, and lets go of the button outside the dialog. */
export async function dragOut(page: Page, field: Locator): Promise<void> {
  await field.hover();
  await page.mouse.down();
  await page.mouse.move(2, 2);
  await page.mouse.up();
}
