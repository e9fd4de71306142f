import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { describeWhere } from '../support/describe-with.js';
import { key, service, shareApp } from '../support/folders.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { hasVenv, PythonEnvironment } from '../support/python.js';
import { run } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import { STRICT } from './client-programs.js';
import { fetchDocument, operationsOf } from './document.js';

const HOME = join(import.meta.dirname, '../..');
const BELLA = { id: 1, name: 'Bella', categoryId: 3, status: 'available' };

let document: OpenAPIObject;

/** Starts a service, and makes a folder with its document and with programs that use what is generated from it. */
function shareProject(...programs: readonly string[]) {
  const folder = shareFolder();
  shareApp({ env: { WEBHOOK_KEY } }, { plan: 'pro', scopes: SCOPES });
  beforeAll(async () => {
    document = await fetchDocument(service);
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...STRICT, include: ['*.ts'] }));
    for (const name of programs) copyFileSync(join(import.meta.dirname, 'client', name), join(folder, name));
  });
  const runNode = (...args: string[]) => run(process.execPath, args, { cwd: folder });
  return {
    folder,
    runTool: (path: string, ...args: string[]) => runNode(join('node_modules', path), ...args),
    /** @returns what a program prints about its calls of the service */
    async story(program: string) {
      return JSON.parse(await runNode(program, `${service.origin}/v1`, key)) as Record<string, unknown>;
    },
  };
}

describe('clients that are generated from the document', () => {
  const { folder, runTool, story } = shareProject('story.ts', 'hey-api.ts');

  beforeAll(async () => {
    symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'client.ts'), await (await service.request('/docs/client.ts')).text());
    await runTool('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'petstore.d.ts');
    await runTool('@hey-api/openapi-ts/bin/run.js', '--input', 'openapi.json', '--output', 'sdk', '--no-log-file');
    await runTool('typescript/bin/tsc');
  }, INSTALL_LIMIT_MS);

  it('compile, and complete a scenario of calls', async () => {
    expect(await story('story.js')).toEqual({
      before: [],
      bella: BELLA,
      replaces: true,
      isRefused: true,
      statuses: ['placed', 'approved', 'delivered'],
      refusals: ['pet_not_available', 'validation_failed', 'validation_failed', 'route_not_found'],
    });
  });

  it('compile as an SDK without a cast, and call every operation', async () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    const { called, ...seen } = await story('hey-api.js');
    expect(seen).toEqual({ plan: 'pro', scopes: ['pets:read'], isGone: true });
    expect((called as string[]).toSorted()).toEqual(ids.toSorted());
  });
});

describe('a client of functions that orval generates', () => {
  const PACKAGES = ['orval@8.38.0', 'typescript@5.9.3', '@types/node@24.10.1'];
  const CONFIG = {
    petstore: { input: { target: 'openapi.json' }, output: { target: 'petstore.ts', client: 'fetch' } },
  };
  const { folder, runTool, story } = shareProject('orval.ts');

  it(
    'compiles, and completes a scenario of calls',
    async () => {
      // Not a development dependency: it has 270 packages, of which one reports installations.
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
      await run('npm', ['install', ...flags, ...PACKAGES], { cwd: folder });
      writeFileSync(join(folder, 'orval.config.js'), `export default ${JSON.stringify(CONFIG)};`);
      await runTool('orval/dist/bin/orval.mjs', '--config', 'orval.config.js');
      await runTool('typescript/bin/tsc');
      expect(await story('orval.js')).toEqual({
        pet: BELLA,
        page: [BELLA],
        name: 'Bello',
        isRotated: true,
        code: 'pet_not_found',
      });
    },
    INSTALL_LIMIT_MS,
  );
});

describeWhere(hasVenv, 'python3 with venv')('a Python client that is generated from the document', () => {
  const { folder } = shareProject('story.py');

  it(
    'is generated without a warning, and completes a scenario of calls',
    async () => {
      const python = await PythonEnvironment.make(folder, 'openapi-python-client==0.29.1');
      const options = ['--meta', 'none', '--output-path', 'petstore', '--fail-on-warning'];
      // It formats its output with the `ruff` that is installed with it.
      await python.run('openapi-python-client', ['generate', '--path', 'openapi.json', ...options]);
      const story = await python.run('python', ['story.py', `${service.origin}/v1`, key]);
      // As text, because the largest int64 is no exact number here.
      expect(story.replaceAll(' ', '')).toContain(
        '"some":[{"name":"Bella","categoryId":9223372036854775807,"id":1,"status":"available"},' +
          '{"name":"Luna","categoryId":1,"id":2,"status":"available"}]',
      );
      expect(JSON.parse(story)).toMatchObject({
        refused: { code: 'validation_failed', status: 400 },
        limit: '300',
        page: [2],
        renamed: 'Lunetta',
        replaces: true,
        stranger: true,
      });
    },
    INSTALL_LIMIT_MS,
  );
});
