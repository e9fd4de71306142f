import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadEnv } from '../../src/platform/index.js';
import { freePort } from '../support/servers/free-port.js';
import { buildImage, HOME, isIgnored } from './image.js';

const folder = mkdtempSync(join(tmpdir(), 'petstore-docker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (name: string) => readFileSync(join(HOME, 'docker', name), 'utf8');

/** Returns the settings of the service in a compose file, with the defaults of its variables. */
function settings(name: string): Record<string, string> {
  const [, block = ''] = /\n {2}service:\n[^]*?\n {4}environment:\n((?: {6}[^\n]*\n)+)/.exec(textOf(name)) ?? [];
  const pairs = block
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/: (.*)/));
  return Object.fromEntries(pairs.map(([key = '', value = '']) => [key, value.replaceAll(/\$\{\w+:-(\w*)\}/g, '$1')]));
}

describe('the image', () => {
  it('is built only from the files that it copies, starts and stops', async () => {
    const image = buildImage(folder);
    expect(existsSync(join(image.folder, 'node_modules/jest'))).toBe(false);
    const port = await freePort();
    const [script = '', ...args] = image.command;
    const service = spawn(join(image.folder, script), args, {
      cwd: image.folder,
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, PORT: String(port), NODE_ENV: 'production' },
      stdio: 'ignore',
    });
    const exited = once(service, 'exit');
    await until(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
    service.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  }, 240_000);
});

describe('the ignore file', () => {
  it('excludes files that the image does not need', () => {
    const paths = [
      '.git/config',
      '.env',
      'README.md',
      'data/petstore.sqlite',
      'node_modules/jest/index.js',
      'src/http/addresses.spec.ts',
      'test/docker/image.ts',
    ];
    expect(paths.filter((path) => !isIgnored(path))).toEqual([]);
    expect(['package.json', '.npmrc', 'src', 'src/main.ts', 'src/accounts/cli/keys.cli.ts'].filter(isIgnored)).toEqual(
      [],
    );
  });
});

describe.each(['compose.yaml', 'compose.replicas.yaml'])('%s', (name) => {
  it('has only settings that the service accepts', () => {
    const given = settings(name);
    expect(Object.keys(given).length).toBeGreaterThan(0);
    const env = loadEnv(given);
    expect(Object.keys(given).filter((key) => !(key in env))).toEqual([]);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await isSo().catch(() => false)) return;
    await delay(50);
  }
}
