import type { Locator, Page, Response } from 'playwright-core';
import { type PageOptions, useScreen } from './browser.js';

export class ExplorerPage {
  constructor(readonly page: Page) {}

  async load(origin: string, path = '/docs'): Promise<void> {
    await this.page.goto(origin + path);
    await this.page.locator('.opblock').first().waitFor();
  }

  /** Makes the page, wherever a test left it, one without key, dialog, filter, open operation and response. */
  async reset(origin: string, options: PageOptions): Promise<void> {
    await this.page.unrouteAll();
    await useScreen(this.page, options);
    if (new URL(this.page.url()).pathname !== '/docs') await this.load(origin);
    await this.page.getByLabel('Filter operations').fill('');
    // Only the browser itself sends this event, and only to other tabs.
    await this.page.evaluate(`(() => {
      document.querySelector('dialog.authorization')?.close();
      localStorage.clear();
      dispatchEvent(new StorageEvent('storage', { key: 'authorized', newValue: '{}' }));
    })()`);
    await this.page.locator('dialog.authorization').waitFor({ state: 'detached' });
    await this.closeOperations();
    // Tab starts at the top.
    await this.page.evaluate(`(() => {
      scrollTo(0, 0);
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute('tabindex');
    })()`);
  }

  /** Closes all operations, without their responses. Each open one is drawn again with whatever happens on the page. */
  async closeOperations(): Promise<void> {
    await this.page.evaluate(`(() => {
      for (const button of document.querySelectorAll('.opblock .btn-clear')) button.click();
      for (const row of document.querySelectorAll('.opblock-summary-control[aria-expanded="true"]')) row.click();
    })()`);
  }

  authorizeButton(): Locator {
    return this.page.locator('.connection').getByRole('button', { name: 'Authorize' });
  }

  /** Gives a valid key, waits for what the service says about it, and closes the dialog. */
  async authorize(key: string): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    await this.authorizeButton().click();
    await this.page.getByLabel('API key').fill(key);
    await dialog.getByRole('button', { name: 'Authorize' }).click();
    await dialog.locator('.key-summary').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  operation(tag: string, id: string): Locator {
    return this.page.locator(`#operations-${tag}-${id}`);
  }

  async openOperation(tag: string, id: string): Promise<Locator> {
    const found = this.operation(tag, id);
    const row = found.locator('.opblock-summary-control');
    if ((await row.getAttribute('aria-expanded')) === 'false') await row.click();
    await found.getByRole('button', { name: 'Execute' }).waitFor();
    return found;
  }

  /** Clicks Execute and waits until the page shows the response. @returns what was sent over the network */
  async send(tag: string, id: string): Promise<Response> {
    const found = this.operation(tag, id);
    const [response] = await Promise.all([
      // The page itself asks for the usage of the key after a 403.
      this.page.waitForResponse(
        (sent) => sent.url().includes('/v1/') && sent.url().endsWith('/v1/usage') === (id === 'getUsage'),
      ),
      found.getByRole('button', { name: 'Execute' }).click(),
    ]);
    await found.locator('.live-code', { hasText: String(response.status()) }).waitFor();
    return response;
  }

  /** Clicks Execute and waits for a response with this status. @returns the displayed body */
  async execute(tag: string, id: string, status: number): Promise<string> {
    const found = this.operation(tag, id);
    await found.getByRole('button', { name: 'Execute' }).click();
    await found.locator('.live-code', { hasText: String(status) }).waitFor();
    return (await found.locator('.live-body pre').textContent()) ?? '';
  }
}
