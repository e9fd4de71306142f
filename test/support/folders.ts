import { afterAll, beforeAll } from '@jest/globals';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { startApp, type TestApp, type TestAppOptions } from './app.js';

export { AMPLE, Folders } from './temporary.js';

/** The app of `shareApp`. */
export let service: TestApp;
/** Its key. */
export let key: string;

/** Starts an app and creates a key, for all tests of the file or of the surrounding `describe`. */
export function shareApp(options: TestAppOptions = {}, newKey: Partial<NewKey> = {}): void {
  sharePreparedApp(options, async () => {
    key = await service.key(newKey);
  });
}

/** Starts an app, which `prepare` completes, for all tests of the file or of the surrounding `describe`. */
export function sharePreparedApp(options: TestAppOptions = {}, prepare?: () => Promise<void>): void {
  beforeAll(async () => {
    service = await startApp(options);
    await prepare?.();
  });
  afterAll(() => service.stop());
}
