import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { fetchDocument, operationsOf } from './document.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';

const HOME = join(import.meta.dirname, '../..');
const CLIENTS = ['story.ts', 'hey-api.ts'];
const STRICT = {
  compilerOptions: {
    strict: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    types: ['node'],
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
  },
  files: [...CLIENTS, 'client.ts'],
};

const folder = mkdtempSync(join(tmpdir(), 'petstore-client-'));
let document: OpenAPIObject;
sharePreparedApp({ env: { WEBHOOK_KEY } }, async () => {
  symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'));
  for (const name of CLIENTS) copyFileSync(join(import.meta.dirname, 'client', name), join(folder, name));
  document = await fetchDocument(service);
  writeFileSync(join(folder, 'client.ts'), await (await service.request('/docs/client.ts')).text());
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program with the current Node and returns its output. Throws the program's error output if it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const result = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder });
  return (
    await result.catch(({ stdout, stderr }: { stdout: string; stderr: string }) =>
      Promise.reject(new Error(`${stdout}${stderr}`)),
    )
  ).stdout;
}

const tool = (path: string) => join(folder, 'node_modules', path);

describe('clients that are generated from the document', () => {
  beforeAll(async () => {
    await run(tool('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'petstore.d.ts');
    await run(tool('@hey-api/openapi-ts/bin/run.js'), '--input', 'openapi.json', '--output', 'sdk', '--no-log-file');
    await run(tool('typescript/bin/tsc'));
  }, INSTALL_LIMIT_MS);

  it('compile, and complete a scenario of calls', async () => {
    const key = await service.key({ scopes: SCOPES, plan: 'pro' });
    const story = JSON.parse(await run('story.js', `${service.origin}/v1`, key)) as Record<string, unknown>;
    const bella = { id: 1, name: 'Bella', categoryId: 3, status: 'available' };
    expect(story).toEqual({
      before: [],
      bella,
      second: [{ id: 2, name: 'Milo', categoryId: 3 }],
      renamed: 'Milou',
      replaces: true,
      isRefused: true,
      statuses: ['placed', 'approved', 'delivered'],
      orders: [1],
      order: 1,
      sold: [{ ...bella, status: 'sold' }],
      plan: 'pro',
      refusals: ['pet_not_available', 'validation_failed', 'validation_failed', 'route_not_found'],
    });
  });

  it('compile as an SDK without a cast, and call every operation', async () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    const key = await service.key({ scopes: SCOPES, plan: 'pro' });
    const seen = JSON.parse(await run('hey-api.js', `${service.origin}/v1`, key)) as { called: string[] };
    expect(seen).toEqual({ called: expect.any(Array), plan: 'pro', scopes: ['pets:read'], isGone: true });
    expect(seen.called.toSorted()).toEqual(ids.toSorted());
  });
});
