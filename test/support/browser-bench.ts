import type { Browser } from 'playwright-core';
import { type TestAppOptions, startApp, type TestApp } from './app.js';
import { startBrowser } from './browser.js';

/** A service and a browser, for all tests of a file. */
export class BrowserBench {
  private constructor(
    readonly service: TestApp,
    readonly browser: Browser,
  ) {}

  static async start(settings?: TestAppOptions): Promise<BrowserBench> {
    return new BrowserBench(await startApp(settings), await startBrowser());
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }
}
