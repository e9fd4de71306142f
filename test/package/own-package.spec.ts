import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OWN_PACKAGE } from '../docs/commands.js';
import { commandsOf, files, page } from '../docs/pages.js';
import { difference } from '../docs/shown-response.js';
import { BUILDER, BuiltImage } from '../docker/built-image.js';
import { describeWhere } from '../support/describe-with.js';
import { freePort } from '../support/servers/free-port.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';
import { EmptyFolder, type Started } from './empty-folder.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { PACK } from './packing.js';

/* Follows the page about a package of one's own from an empty folder, command by command. */

const COMPILE = 'npx tsc -p tsconfig.build.json --watch --preserveWatchOutput';
const DEVELOP = new Set(['npm run dev', 'node --watch dist/main.js']);
const START = 'npm start';
/** It fails where there is nothing to do, as here: the migration of the template fits its entity. */
const GENERATE = 'npm run typeorm -- migration:generate src/migrations/change';
const VITEST = 'vitest.config.ts';

const { blocks } = page(OWN_PACKAGE);
const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
const running: Started[] = [];
let folder: EmptyFolder;
let port: number;

beforeAll(async () => {
  folder = new EmptyFolder();
  port = await freePort();
}, INSTALL_LIMIT_MS);
afterAll(async () => {
  await stop();
  folder.remove();
}, INSTALL_LIMIT_MS);

async function stop(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop()));
}

/** Does what the text says beside a command. */
function prepare(command: string): void {
  if (command.startsWith('npm install ')) folder.lock();
  if (!command.startsWith('npm pkg set scripts.test=')) return;
  folder.write(VITEST, files.get(VITEST) ?? '');
  folder.edit('test/toys.spec.ts', (text) => text.replace('@jest/globals', 'vitest'));
}

/** @returns the output of a command that ends */
async function follow(command: string): Promise<string> {
  prepare(command);
  if (command === COMPILE) running.push(folder.start(command));
  else if (command === START || DEVELOP.has(command)) running.push(await folder.serve(command, port));
  else if (!command.startsWith('export '))
    return folder.run(command.replace('localhost:3000', `localhost:${port}`), command === GENERATE ? 1 : 0);
  if (DEVELOP.has(command)) await stop();
  return '';
}

async function check(command: string, output: string): Promise<void> {
  const [, key] = / create --account .*/.test(command) ? (/(psk_live_\w+)/.exec(output) ?? []) : [];
  if (key !== undefined) folder.set('API_KEY', key);
  if (command === GENERATE && !output.includes('No changes in database schema were found')) throw new Error(output);
  if (command === 'npm test' && !/Tests:? +2 passed/.test(output)) throw new Error(output);
  if (!command.startsWith('curl ')) return;
  const shown = blocks.find(({ language }) => language === 'http')?.text ?? '';
  const different = difference('http', shown, output);
  if (different !== undefined) throw new Error(different);
  await until(() => running[0]?.output().includes('"message":"toy:1 was created"') === true);
}

describe('the page about a package of one’s own', () => {
  it.each(commands.filter((command) => !command.startsWith('docker ')))(
    'has a command that works: %s',
    async (command) => {
      const output = await follow(command);
      await expect(check(command, output)).resolves.toBeUndefined();
    },
    INSTALL_LIMIT_MS,
  );

  it('says how to make the file, as these tests do', () => {
    expect(page(OWN_PACKAGE).lines.join('\n')).toContain(`\`${PACK}\` in this repository`);
  });

  it('names the files that are written', () => {
    const named = page(OWN_PACKAGE).table('File', 'Contents');
    const paths = named.flatMap(([list = '']) => list.split(', '));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(folder.folder, path)))).toEqual([]);
  });
});

describe('another extension', () => {
  it.each(['mice mouse', 'animal-insurance animal-insurance'])(
    'compiles with the name %s',
    async (name) => {
      await folder.run(`npx petstore-service new extension ${name}`);
      await expect(folder.run(`npx tsc --noEmit -p ${name.split(' ')[0]}/tsconfig.build.json`)).resolves.toBe('');
    },
    INSTALL_LIMIT_MS,
  );
});

describeWhere(spawnSync('bash', ['-c', BUILDER]).status === 0, 'root, buildah and debootstrap')(
  'the image of one’s own',
  () => {
    const made = shareFolder();

    it(
      'serves the operations of the extension as the user node, on a read-only file system',
      async () => {
        const image = BuiltImage.build(made, folder.folder);
        const container = await image.run();
        const { paths } = (await (await fetch(`${container.origin}/openapi.json`)).json()) as { paths: object };
        const created = container.exec(
          ...'node_modules/.bin/petstore-keys create --account clinic --plan pro'.split(' '),
        );
        const [kind, ...health] = image.config.Healthcheck.Test;
        expect(Object.keys(paths)).toContain('/toys');
        expect(created).toContain('psk_live_');
        expect(kind).toBe('CMD');
        expect(() => container.exec(...health)).not.toThrow();
        expect(
          ['petstore-service', '@nestjs/cli', 'vitest'].filter((one) => image.has(`service/node_modules/${one}`)),
        ).toEqual(['petstore-service']);
        expect([container.uid(), await container.stop()]).toEqual([1000, 0]);
      },
      INSTALL_LIMIT_MS,
    );
  },
);
