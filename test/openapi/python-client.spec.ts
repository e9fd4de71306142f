import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { describeWhere } from '../support/describe-with.js';
import { Folders } from '../support/folders.js';
import { fetchDocument } from './document.js';

const GENERATOR = 'openapi-python-client==0.29.1';
const TIMEOUT_MS = 240_000;

/** Debian has the module that `venv` needs to install pip in a package of its own. */
const hasVenv = spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;

const folders = new Folders();
const folder = folders.make();
const bin = join(folder, 'venv/bin');
let service: TestApp;

beforeAll(async () => {
  service = await startApp();
});
afterAll(async () => {
  await service.stop();
  await folders.remove();
});

/** Runs a program, of the virtual environment if it is there, and returns its output. Throws its error output if it fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  // The generator formats its output with the `ruff` that is installed with it.
  const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) };
  const result = promisify(execFile)(program, args, { cwd: folder, env });
  return (
    await result.catch(({ stdout, stderr }: { stdout: string; stderr: string }) =>
      Promise.reject(new Error(`${stdout}${stderr}`)),
    )
  ).stdout;
}

describeWhere(hasVenv, 'python3 with venv')('a Python client that is generated from the document', () => {
  it(
    'is generated without a warning, and completes a scenario of calls',
    async () => {
      await run('python3', '-m', 'venv', 'venv');
      await run(join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', GENERATOR);
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await fetchDocument(service)));
      const options = ['--meta', 'none', '--output-path', 'petstore', '--fail-on-warning'];
      await run(join(bin, 'openapi-python-client'), 'generate', '--path', 'openapi.json', ...options);
      copyFileSync(join(import.meta.dirname, 'client/story.py'), join(folder, 'story.py'));
      const key = await service.key({ plan: 'pro' });
      const story = await run(join(bin, 'python'), 'story.py', `${service.origin}/v1`, key);
      // As text, because the largest int64 is no exact number here.
      expect(story.replaceAll(' ', '')).toContain(
        '"some":[{"name":"Bella","categoryId":9223372036854775807,"id":1,"status":"available"},' +
          '{"name":"Luna","categoryId":1,"id":2,"status":"available"}]',
      );
      expect(JSON.parse(story)).toMatchObject({
        refused: { code: 'validation_failed', status: 400 },
        limit: '300',
        stranger: 'invalid_api_key',
      });
    },
    TIMEOUT_MS,
  );
});
