import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Folders } from '../support/folders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

// A copy of the build: that of the other tests has been run, and a run mends what it finds not to be valid.
const folders = new Folders();
const folder = folders.make();
beforeAll(() => {
  cpSync(join(ROOT, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  for (const name of ['node_modules', '.runtime']) symlinkSync(join(ROOT, name), join(folder, name));
});
afterAll(() => folders.remove());

describe('the code that the build has compiled', () => {
  it('is taken by the very first start', () => {
    execFileSync('sh', ['-c', scripts['compile-cache'] ?? ''], { cwd: folder });
    // With a port that is none it ends as soon as it is loaded.
    const env = { PATH: process.env['PATH'], NODE_DEBUG_NATIVE: 'COMPILE_CACHE', PORT: 'none' };
    const { stderr } = spawnSync(process.execPath, [join(folder, 'dist/src/main.js')], { encoding: 'utf8', env });
    expect(stderr).toContain('bundle/start-service.js was accepted');
    expect(stderr.match(/node_modules\S* was accepted/g)?.length).toBeGreaterThan(500);
    expect(stderr).not.toMatch(/node_modules\S* was rejected/);
  });
});
