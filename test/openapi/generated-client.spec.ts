import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { fetchDocument, operationsOf } from './document.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { run } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';
import { STRICT } from './client-programs.js';

const HOME = join(import.meta.dirname, '../..');
const CLIENTS = ['story.ts', 'hey-api.ts'];

const folder = shareFolder();
let document: OpenAPIObject;
sharePreparedApp({ env: { WEBHOOK_KEY } }, async () => {
  symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'));
  for (const name of CLIENTS) copyFileSync(join(import.meta.dirname, 'client', name), join(folder, name));
  document = await fetchDocument(service);
  writeFileSync(join(folder, 'client.ts'), await (await service.request('/docs/client.ts')).text());
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...STRICT, files: [...CLIENTS, 'client.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

const runNode = (...args: string[]) => run(process.execPath, args, { cwd: folder });
const tool = (path: string) => join(folder, 'node_modules', path);

describe('clients that are generated from the document', () => {
  beforeAll(async () => {
    await runNode(tool('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'petstore.d.ts');
    await runNode(
      tool('@hey-api/openapi-ts/bin/run.js'),
      '--input',
      'openapi.json',
      '--output',
      'sdk',
      '--no-log-file',
    );
    await runNode(tool('typescript/bin/tsc'));
  }, INSTALL_LIMIT_MS);

  it('compile, and complete a scenario of calls', async () => {
    const key = await service.key({ scopes: SCOPES, plan: 'pro' });
    const story = JSON.parse(await runNode('story.js', `${service.origin}/v1`, key)) as Record<string, unknown>;
    expect(story).toEqual({
      before: [],
      bella: { id: 1, name: 'Bella', categoryId: 3, status: 'available' },
      replaces: true,
      isRefused: true,
      statuses: ['placed', 'approved', 'delivered'],
      refusals: ['pet_not_available', 'validation_failed', 'validation_failed', 'route_not_found'],
    });
  });

  it('compile as an SDK without a cast, and call every operation', async () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    const key = await service.key({ scopes: SCOPES, plan: 'pro' });
    const seen = JSON.parse(await runNode('hey-api.js', `${service.origin}/v1`, key)) as { called: string[] };
    expect(seen).toEqual({ called: expect.any(Array), plan: 'pro', scopes: ['pets:read'], isGone: true });
    expect(seen.called.toSorted()).toEqual(ids.toSorted());
  });
});
