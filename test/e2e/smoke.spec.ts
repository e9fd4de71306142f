import { expect, it } from '@jest/globals';
import { databaseUrl } from '../support/databases.js';
import { Folders } from '../support/folders.js';
import { startProcess } from '../support/service-process.js';

it('the built service starts, serves, and stops on SIGTERM with 0', async () => {
  const folders = new Folders();
  const folder = folders.make();
  const service = await startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });
  expect((await fetch(`${service.origin}/v1/pets`)).status).toBe(401);
  expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });
  await folders.remove();
});
