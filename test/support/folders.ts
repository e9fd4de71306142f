import { afterAll, beforeAll } from '@jest/globals';
import type { KeysService } from '../../src/accounts/keys/keys.service.js';
import type { NewKey } from '../../src/accounts/keys/key-options.js';
import { startApp, type TestApp, type TestAppOptions } from './app.js';
import { makeFolder, removeDatabase } from './databases.js';

/** Folders for the databases of processes, removed together. */
export class Folders {
  private readonly made: string[] = [];

  make(): string {
    const folder = makeFolder();
    this.made.push(folder);
    return folder;
  }

  async remove(): Promise<void> {
    for (const folder of this.made.splice(0)) await removeDatabase(folder);
  }
}

/** Creates keys in the database of a folder while no process uses it. */
export async function makeKeys(folder: string, ...newKeys: Partial<NewKey>[]): Promise<string[]> {
  const service = await startApp({ folder });
  const keys: string[] = [];
  for (const newKey of newKeys) keys.push(await service.key(newKey));
  await service.stop({ keepData: true });
  return keys;
}

/** A plan that no test exhausts. */
export const AMPLE = { plan: 'enterprise', perMinute: 1_000_000, perDay: 10_000_000 } as const satisfies Partial<
  Parameters<KeysService['createKey']>[0]
>;

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
