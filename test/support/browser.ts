import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** For a page to load and a request to be answered on a machine that is busy with other things. */
const PATIENCE_MS = 60_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface PageOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A phone and a desk, by day and by night. */
export const SCREENS = [
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const satisfies readonly PageOptions[];

/** A page in a browser session of its own, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** Errors of scripts and of the console; a response with status 4xx to a call of the API is none. */
  readonly errors: readonly string[];
}

export function startBrowser(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const executablePath = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('Chromium is not installed.');
  // Nothing but our own pages is opened, and a container may lack what the sandbox needs.
  return chromium.launch({ executablePath, chromiumSandbox: false });
}

export async function visit(
  browser: Browser,
  { width = 1280, colorScheme = 'light' }: PageOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width, height: 850 }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource') && message.location().url.includes('/v1/');
    if ((message.type() === 'error' || message.type() === 'warning') && !isRefusal) errors.push(message.text());
  });
  return { page, errors };
}

/** What axe-core finds on a page that keeps people from using it: serious and critical findings. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, to which the page's policy does not apply.
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? ''))))`);
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
