import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { freePort } from '../support/servers/free-port.js';
import { Workspace } from './workspace.js';

const workspace = new Workspace('test');
afterAll(() => workspace.remove());

it('npm run new creates a feature that passes the checks and serves its operations', async () => {
  workspace.write('.gitignore', 'node_modules\n');
  const run = await workspace.run('npm run --silent new -- feature species specimen');
  expect(run).toEqual({ code: 0, output: expect.stringContaining('src/species/specimen.dto.ts') });
  const { code, output } = await workspace.run('npm run --silent check');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('and 0 errors') });

  const port = await freePort();
  const service = await workspace.start('npm start', port);
  const [key = ''] = /psk_live_\w+/.exec(service.output()) ?? [];
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const species = `http://localhost:${port}/v1/species`;
  const created = await fetch(species, { method: 'POST', headers, body: '{"name":"Cat"}' });
  const listed = await fetch(species, { headers });
  const missing = await fetch(`${species}/2`, { headers });
  await service.stop();
  expect(created.status).toBe(201);
  expect([listed.status, await listed.json()]).toEqual([200, [{ id: 1, name: 'Cat' }]]);
  expect([missing.status, await missing.json()]).toEqual([
    404,
    expect.objectContaining({ code: 'specimen_not_found' }),
  ]);
}, 300_000);

it('npm run new refuses a name that is taken or no word', async () => {
  expect(await workspace.run('npm run --silent new -- feature pets')).toMatchObject({ code: 1 });
  expect(await workspace.run('npm run --silent new -- feature ../brands')).toMatchObject({ code: 1 });
  expect(existsSync(join(workspace.folder, 'brands'))).toBe(false);
});
