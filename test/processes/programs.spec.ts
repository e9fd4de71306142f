import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from '@jest/globals';
import { runProgram, startProcess } from '../support/service-process.js';
import { Folders } from '../support/temporary.js';
import { until } from '../support/until.js';

const folders = new Folders();
afterAll(() => folders.remove());

const PRETEND = encodeURIComponent('Object.defineProperty(process.versions, "node", { value: "20.19.0" })');

it.each([
  'main.js',
  'keys.cli.js',
  'migrate.cli.js',
  'backup.cli.js',
  'deliveries.cli.js',
  'move.cli.js',
  'programs/new.cli.js',
])('%s says in a sentence that it needs a newer Node, and exits with 1', async (program) => {
  const env = { NODE_OPTIONS: `--import data:text/javascript,${PRETEND}` };
  expect(await runProgram(program, [], { folder: tmpdir(), env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'petstore-service needs Node.js 24.15 or later. This is Node.js 20.19.0.\n',
  });
});

it('a first start on a terminal logs a few lines for people, and greets last', async () => {
  const env = { NODE_OPTIONS: '--import data:text/javascript,process.stdout.isTTY=true' };
  const service = await startProcess({ folder: folders.make(), env });
  await until(() => service.output().includes('curl'));
  const [log = '', greeting = ''] = service.output().split('\nThe pet store is ready');
  await service.stop();
  expect(log).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Migrations: running migrations\n {4}pending: Initial\d+, .*\n\[/);
  expect(log).not.toMatch(/^\{/m);
  expect(log.split('\n').length).toBeLessThan(20);
  expect(greeting).not.toMatch(/INFO|WARN/);
});

it.each(['petstore', 'petstore-migrate'])('%s takes no arguments, and exits with 2', async (program) => {
  const file = program === 'petstore' ? 'main.js' : 'migrate.cli.js';
  expect(await runProgram(file, ['--help'], { folder: tmpdir() })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `${program} takes no arguments. Configure it with environment variables: see docs/configuration.md.\n`,
  });
});

/** A folder with the scripts of npm. */
function scripts(): string {
  const cwd = folders.make();
  for (const file of ['package.json', '.runtime'])
    copyFileSync(join(import.meta.dirname, '../..', file), join(cwd, file));
  return cwd;
}

it.each(['start', 'dev'])(
  'npm run %s says in a sentence that it needs the development dependencies',
  async (script) => {
    const cwd = scripts();
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], { cwd, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^(Building the service.*\n)?This builds the service.* Run npm ci --include=dev.*\n$/);
  },
);

it('two commands that find the build outdated build it once, one after the other', async () => {
  const cwd = scripts();
  const programs = [...new Set(readFileSync(join(cwd, 'package.json'), 'utf8').match(/dist\/src\/[\w./]+\.js/g))];
  const compile = `echo >> builds; sleep 1; mkdir -p dist/src/programs dist/src/testing; touch ${programs.join(' ')}`;
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules/.bin/nest'), `#!/bin/sh\n${compile}\n`, { mode: 0o755 });
  mkdirSync(join(cwd, 'tools'));
  writeFileSync(join(cwd, 'tools/render-guides.ts'), '');
  const codes = [1, 2].map(async () => {
    const [code] = (await once(spawn('npm', ['run', '--silent', 'built'], { cwd }), 'close')) as [number];
    return code;
  });
  expect(await Promise.all(codes)).toEqual([0, 0]);
  expect(readFileSync(join(cwd, 'builds'), 'utf8')).toBe('\n');
});

it('a command line ends in silence if nobody reads its output', async () => {
  const program = join(import.meta.dirname, '../../dist/src/keys.cli.js');
  const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe('');
});

it('a command line says that its output cannot be written', () => {
  const program = join(import.meta.dirname, '../../dist/src/keys.cli.js');
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [program, '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC: .*\n$/)]);
});
