import { rmSync } from 'node:fs';
import { afterAll } from '@jest/globals';
import { makeFolder } from './temporary.js';

/** A folder for all tests of the file or of the surrounding `describe`, which removes it. */
export function shareFolder(): string {
  const folder = makeFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
