import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { runNew } from '../../src/programs/run-new.js';
import { files } from '../docs/pages.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { startApp } from '../support/app.js';
import { importedPackages } from '../support/imported-packages.js';
import { programIo, type Ran } from '../support/keys-command-line.js';
import { Folders } from '../support/temporary.js';

const folders = new Folders();
afterAll(() => folders.remove());

const here = process.cwd();
afterEach(() => process.chdir(here));

function create(folder: string, ...names: string[]): Ran {
  const { io, ran } = programIo({});
  process.chdir(folder);
  return ran(runNew(['new', 'extension', ...names], io));
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

const textOf = (folder: string) =>
  filesIn(folder)
    .map((file) => `${file}\n${readFileSync(file, 'utf8')}`)
    .join('\n');

/** The name of a class as that of an extension: `ApiKey` as `api-key`. */
const dashed = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

describe('petstore-service new extension', () => {
  it('gives the names of the extension to files, classes, routes, scopes and the table', () => {
    const folder = folders.make();
    const { code, stdout, stderr } = create(folder, 'open-hours');
    const text = textOf(join(folder, 'open-hours'));
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('Created the package of an extension in open-hours.'),
      '',
    ]);
    for (const name of [
      'open-hour.entity.ts',
      'OpenHoursModule',
      "'open-hours:read'",
      '"open_hours"',
      'OPEN_HOURS',
      'Create an open hour',
    ])
      expect(text).toContain(name);
    expect(text).not.toMatch(/vet.?visit/i);
    expect(text).not.toMatch(/": "(\*|undefined)"/);
  });

  it('depends on the packages that it and the tutorial import, shared with the service', () => {
    const folder = folders.make();
    create(folder, 'toys');
    const manifest = readFileSync(join(folder, 'toys/package.json'), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;
    const declared = Object.keys({ ...dependencies, ...devDependencies });
    const tutorial = [...files].flatMap(([path, text]) => (path.startsWith('visits/') ? [text] : []));
    const imported = importedPackages([textOf(folder), ...tutorial].join('\n'));
    expect(imported).toEqual(expect.arrayContaining(['fastify', '@nestjs/event-emitter']));
    expect(imported.filter((name) => !declared.includes(name))).toEqual([]);
    expect(dependencies?.['fastify']).toMatch(/^\^\d/);
  });

  it.each([
    ['boxes', 'Box'],
    ['addresses', 'Address'],
    ['parties', 'Party'],
  ])('knows the singular of %s', (name, singular) => {
    const folder = folders.make();
    create(folder, name);
    expect(textOf(join(folder, name))).toContain(`class ${singular} `);
  });

  it('writes the files whose names begin with a dot', () => {
    const folder = folders.make();
    create(folder, 'mice', 'mouse');
    const dots = readdirSync(join(folder, 'mice')).filter((name) => name.startsWith('.'));
    expect(dots.toSorted()).toEqual(['.dockerignore', '.gitignore', '.npmrc']);
    expect(textOf(join(folder, 'mice'))).toContain('class Mouse ');
  });

  it.each([
    [['Toys'], 'Toys is not a valid name: use 3 to 40 lower-case letters and digits, with - between words.'],
    [['../toys'], '../toys is not a valid name'],
    [['toys-'], 'toys- is not a valid name'],
    [['toys', '.'], '. is not a valid name'],
    [['pets'], 'pets is a name that the service uses. Choose another one.'],
    [['webhooks'], 'webhooks is a name that the service uses.'],
    [['usage-histories'], 'usage-history is a name that the service uses.'],
    [['columns'], 'Column is a class that the package uses. Choose another name.'],
    [['strings'], 'String is a class that the package uses.'],
    [['bid'], 'Give the singular of bid too, if it is a plural: mice mouse.'],
    [['knives'], 'Give the singular of knives too'],
    [[], "missing required argument 'name'"],
    [['toys', 'toy', 'more'], 'too many arguments'],
  ])('refuses the names %j with a sentence, writes nothing, and exits with 2', (names, message) => {
    const folder = folders.make();
    const ended = create(folder, ...names);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(message);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses the name of each table, route, scope, operation and schema of the service', async () => {
    const service = await startApp();
    const document = await fetchDocument(service);
    const dataSource = service.app.get(DataSource);
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite_%'`,
    );
    await service.stop();
    // The package calls its operations `createToy` and `listToys`.
    const created = operationsOf(document).flatMap(
      ({ operation: { operationId = '' } }) => /^(?:create|list)(\w+)$/.exec(operationId)?.[1] ?? [],
    );
    const names = [
      ...tables.map(({ name }) => name.replaceAll('_', '-')),
      ...Object.keys(document.paths).map((path) => path.split('/', 2)[1] ?? ''),
      ...SCOPES.map((scope) => scope.split(':', 1)[0] ?? ''),
      ...[...created, ...Object.keys(document.components?.schemas ?? {})].map(dashed),
    ];
    expect(names).toEqual(expect.arrayContaining(['key', 'deliveries', 'plan', 'known-error-code']));
    const folder = folders.make();
    const refused = (name: string) => create(folder, name, 'thing').stderr.includes('is a name that the service uses');
    expect(names.filter((name) => !refused(name))).toEqual([]);
  });

  it('writes nothing into a folder that exists, and exits with 1', () => {
    const folder = folders.make();
    mkdirSync(join(folder, 'toys'));
    writeFileSync(join(folder, 'toys/README.md'), 'mine');
    expect(create(folder, 'toys')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'toys exists. Choose another name, or another folder to run this in.\n',
    });
    expect(filesIn(folder).map((file) => readFileSync(file, 'utf8'))).toEqual(['mine']);
  });

  it('is explained by --help', () => {
    const { code, stdout } = create(folders.make(), '--help');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('petstore-service new extension [options] <name> [singular]'),
    ]);
  });
});
