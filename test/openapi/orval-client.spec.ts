import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { run } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';
import { STRICT } from './client-programs.js';
import { fetchDocument } from './document.js';

const PACKAGES = ['orval@8.38.0', 'typescript@5.9.3', '@types/node@24.10.1'];
const CONFIG = {
  petstore: { input: { target: 'openapi.json' }, output: { target: 'petstore.ts', client: 'fetch' } },
};

const folder = shareFolder();
sharePreparedApp();

const tool = (path: string, ...args: string[]) =>
  run(process.execPath, [join(folder, 'node_modules', path), ...args], { cwd: folder });

it(
  'a client of functions that orval generates compiles, and completes a scenario of calls',
  async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    // Not a development dependency: it has 270 packages, of which one reports installations.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, ...PACKAGES], { cwd: folder });
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await fetchDocument(service)));
    writeFileSync(join(folder, 'orval.config.js'), `export default ${JSON.stringify(CONFIG)};`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...STRICT, files: ['orval.ts'] }));
    copyFileSync(join(import.meta.dirname, 'client/orval.ts'), join(folder, 'orval.ts'));
    await tool('orval/dist/bin/orval.mjs', '--config', 'orval.config.js');
    await tool('typescript/bin/tsc');
    const key = await service.key({ plan: 'pro', scopes: SCOPES });
    const bella = { id: 1, name: 'Bella', categoryId: 3, status: 'available' };
    expect(JSON.parse(await tool('../orval.js', `${service.origin}/v1`, key))).toEqual({
      pet: bella,
      page: [bella],
      name: 'Bello',
      isRotated: true,
      code: 'pet_not_found',
    });
  },
  INSTALL_LIMIT_MS,
);
