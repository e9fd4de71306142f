import { afterAll, beforeAll } from '@jest/globals';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { FakeClock, startApp, type TestApp, type TestAppOptions } from './app.js';

export { AMPLE, Folders } from './temporary.js';

export let service: TestApp;
/** Its key. */
export let key: string;

/** Starts an app, creates a key and prepares more, for all tests of the file or of the surrounding `describe`. */
export function shareApp(options: TestAppOptions = {}, newKey: Partial<NewKey> = {}, prepare?: () => unknown): void {
  sharePreparedApp(options, async () => {
    key = await service.key(newKey);
    await prepare?.();
  });
}

/** Stops the app, and starts another one on its database. */
export async function restartApp(options: TestAppOptions): Promise<void> {
  await service.stop({ keepData: true });
  service = await startApp({ ...options, folder: service.folder });
}

/** @returns the identifier of a new pet */
export const newPet = async (name = 'Ada', categoryId: number | bigint = 1) =>
  (await service.json<{ id: number }>('/v1/pets', { key, body: { name, categoryId } })).body.id;

/**
 * Starts an app, which `prepare` completes, for all tests of the file or of the surrounding `describe`. Its clock stands
 * still by default, so no minute of the limits ends between two requests.
 */
export function sharePreparedApp(options: TestAppOptions = {}, prepare?: () => Promise<void>): void {
  beforeAll(async () => {
    service = await startApp({ clock: new FakeClock(Date.now()), ...options });
    await prepare?.();
  });
  afterAll(() => service.stop());
}
