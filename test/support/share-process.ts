import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { insertKey } from './insert-key.js';
import { type ServiceProcess, startProcess } from './service-process.js';
import { makeFolder } from './temporary.js';

export interface SharedProcess {
  service: ServiceProcess;
  /** Its limits are such that no test exhausts them. */
  key: string;
}

/** Starts the built service on an SQLite file, for all tests of the file or of the surrounding `describe`. */
export function shareProcess(env: Readonly<Record<string, string>>): SharedProcess {
  const shared = {} as SharedProcess;
  const folder = makeFolder();
  beforeAll(async () => {
    const url = `sqlite:${join(folder, 'petstore.sqlite')}`;
    shared.service = await startProcess({ folder, env: { DATABASE_URL: url, ...env } });
    shared.key = (await insertKey(url)).key;
  });
  afterAll(async () => {
    await shared.service.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return shared;
}
