import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { freePort } from '../support/servers/free-port.js';
import { Workspace } from './workspace.js';

const COMMIT = 'git add --all src && git -c user.name=test -c user.email=test@example.com commit --quiet -m Test';
const INIT = 'git init --quiet && git config core.hooksPath .githooks';

function repository(): Workspace {
  // The other specs say nothing about a new feature, and take time to check.
  const made = new Workspace('test/architecture.spec.ts');
  afterAll(() => made.remove());
  made.write('.gitignore', 'node_modules\n');
  return made;
}

describe('npm run new', () => {
  const workspace = repository();

  it(
    'creates a feature that the pre-commit check accepts and that serves its operations',
    async () => {
      await workspace.run(`find src -name '*.spec.ts' -delete; ${INIT}`);
      const run = await workspace.run('npm run --silent new -- feature species specimen');
      expect(run).toEqual({ code: 0, output: expect.stringContaining('src/species/specimen.dto.ts') });
      expect(await workspace.run(COMMIT)).toEqual({ code: 0, output: expect.stringContaining('and 0 errors') });

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
    },
    INSTALL_LIMIT_MS,
  );

  it('refuses a name that is taken or no word', async () => {
    expect(await workspace.run('npm run --silent new -- feature pets')).toMatchObject({ code: 1 });
    expect(await workspace.run('npm run --silent new -- feature ../brands')).toMatchObject({ code: 1 });
    expect(existsSync(join(workspace.folder, 'brands'))).toBe(false);
  });
});

describe('the pre-commit check', () => {
  const workspace = repository();

  it(
    'refuses a commit for its format, its types and what the linter finds',
    async () => {
      expect(await workspace.run(`rm -r docker docs src test tools ormconfig.ts && ${INIT}`)).toMatchObject({
        code: 0,
      });
      workspace.write('src/format.ts', 'export const added: number = 1\n');
      workspace.write('src/types.ts', "export const added: number = '1';\n");
      workspace.write('src/lint.ts', 'export const added: any = 1;\n');
      const { code, output } = await workspace.run(COMMIT);
      expect(code).toBe(1);
      for (const finding of ['src/format.ts', 'TS2322', 'no-explicit-any']) expect(output).toContain(finding);
    },
    INSTALL_LIMIT_MS,
  );
});
