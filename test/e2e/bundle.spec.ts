import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

/** Has the process print at its end which packages, and which parts of Node, it has loaded from their own files. */
const WATCH = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      loaded.add(url.split('/node_modules/')[1]?.replace(/((?:@[^/]+\\/)?[^/]+).*/, '$1'));
      return next(url, context);
    },
  });
  process.on('exit', () => process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList])));`;

const folders = new Folders();
let service: ServiceProcess;

beforeAll(async () => {
  const folder = folders.make();
  await makeKeys(folder, AMPLE);
  const env = { DATABASE_URL: databaseUrl(folder), LOG_LEVEL: 'silent', NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(WATCH)}` };
  service = await startProcess({ folder, env });
});
afterAll(() => folders.remove());

describe('what the build makes of the sources', () => {
  it('describes itself as they do, and has all of its pages', async () => {
    const source = await startApp();
    const [built, unbuilt] = await Promise.all([service, source].map(async ({ origin }) => (await fetch(`${origin}/openapi.json`)).json()));
    await source.stop();
    expect(built).toEqual(unbuilt);
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.yaml']) {
      expect((await fetch(`${service.origin}${path}`)).status).toBe(200);
    }
  });

  it('starts without what takes long to find and load', async () => {
    const { stdout } = await service.stop();
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded).toEqual(expect.arrayContaining(['@nestjs/core', 'fastify', 'NativeModule http']));
    for (const name of ['typeorm', 'class-validator', 'es-toolkit', 'libphonenumber-js', 'pg', 'NativeModule internal/deps/undici/undici']) {
      expect(loaded).not.toContain(name);
    }
  });
});
