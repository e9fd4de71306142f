import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SRC = resolve(import.meta.dirname, '../src');

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

/** Imports of other files of ours, static or dynamic. */
function importsIn(from: string, text: string): Import[] {
  return [...text.matchAll(/(?:from |import |import\()'(\.[^']+)\.js'/g)].map((match) => ({
    from,
    to: relative(SRC, resolve(SRC, dirname(from), `${match[1]}.ts`)),
  }));
}

/** Names of the packages that are imported for more than their types. */
function packagesIn(text: string): string[] {
  const all = text.matchAll(/^(?:import|export) (?!type )[^;]*? from '((?!node:)(?:@[^/']+\/)?[^./'][^/']*)/gm);
  return [...all].map(([, name = '']) => name);
}

const imports = files.flatMap((from) => importsIn(from, textOf(from)));

const moduleOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');

const isSpec = (file: string) => file.endsWith('.spec.ts');

const isSharedByTests = (file: string) => ['..', 'testing'].includes(moduleOf(file));

/** From one folder into another. Specs may use what all tests share. */
const crossingsIn = (all: readonly Import[]) =>
  all.filter(
    ({ from, to }) =>
      moduleOf(from) !== '' && moduleOf(from) !== moduleOf(to) && !(isSpec(from) && isSharedByTests(to)),
  );

/** Errors load no framework, so that command lines can refuse arguments before they load the service. */
const deepCrossingsIn = (all: readonly Import[]) =>
  crossingsIn(all).filter(({ to }) => to !== join(moduleOf(to), 'index.ts') && !to.startsWith('platform/errors/'));

/** Folders of `src`, each above those that it can import. */
const ROOMS = [
  'testing',
  '',
  'extensions',
  'store',
  'pets',
  'categories',
  'self-service',
  'monitoring',
  'openapi',
  'lifecycle',
  'rate-limit',
  'auth',
  'accounts',
  'http',
  'database',
  'platform',
];

/** Imports of what stands above. Specs may make them, as nobody imports specs. */
const upwardIn = (all: readonly Import[]) =>
  crossingsIn(all).filter(
    ({ from, to }) => !isSpec(from) && ROOMS.indexOf(moduleOf(to)) < ROOMS.indexOf(moduleOf(from)),
  );

const isForOddsAndEnds = (file: string) => /(^|\/)(common|shared|utils?|helpers?|misc)(\/|\.)/.test(file);

const isOffence = (text: string) => /console\.|\bas any\b|\bas never\b|: any\b|@ts-/.test(text);

describe('the modules', () => {
  it('import each other only through index.ts', () => {
    expect(crossingsIn(imports).length).toBeGreaterThan(100);
    expect(deepCrossingsIn(imports)).toEqual([]);
    const [deep] = importsIn('pets/pet.ts', "import { verify } from '../auth/key-verifier.js';");
    const [dynamic] = importsIn('pets/pet.ts', "await import('../auth/caller.js');");
    const [allowed] = importsIn('pets/pet.ts', "export * from '../auth/index.js';");
    expect(deepCrossingsIn([deep, dynamic, allowed].filter((one) => one !== undefined))).toEqual([
      { from: 'pets/pet.ts', to: 'auth/key-verifier.ts' },
      { from: 'pets/pet.ts', to: 'auth/caller.ts' },
    ]);
  });

  it('stand in one direction', () => {
    expect(new Set(files.map(moduleOf))).toEqual(new Set(ROOMS));
    expect(upwardIn(imports)).toEqual([]);
    const up = { from: 'http/server.ts', to: 'pets/index.ts' };
    expect(upwardIn([...imports, up])).toEqual([up]);
  });

  it('have no folder of more than 16 files', () => {
    const folders = Map.groupBy(
      files.filter((file) => !isSpec(file)),
      (file) => dirname(file),
    );
    expect([...folders].filter(([, all]) => all.length > 16).map(([folder]) => folder)).toEqual([]);
  });

  it('read the environment in one place', () => {
    const readers = files.filter((file) => textOf(file).includes('process.env'));
    expect(readers).toEqual(['platform/config/load-env.ts']);
  });

  it('import no development dependency', () => {
    const manifest = JSON.parse(readFileSync(join(SRC, '../package.json'), 'utf8')) as Record<string, object>;
    const installed = new Set(
      [manifest['dependencies'], manifest['peerDependencies']].flatMap((all) => Object.keys(all ?? {})),
    );
    const imported = new Set(
      files.filter((file) => !isSpec(file) && !file.endsWith('.d.ts')).flatMap((file) => packagesIn(textOf(file))),
    );
    expect([...imported]).toEqual(expect.arrayContaining(['@nestjs/common', 'sqlite-driver']));
    expect([...imported].filter((name) => !installed.has(name))).toEqual([]);
  });

  it('have no folder for unrelated code', () => {
    expect(files.filter(isForOddsAndEnds)).toEqual([]);
    expect(['pets/utils.ts', 'shared/pets.ts', 'pets/pet.ts'].filter(isForOddsAndEnds)).toEqual([
      'pets/utils.ts',
      'shared/pets.ts',
    ]);
  });

  it('keep files small', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => textOf(file).split('\n').length > 201)).toEqual([]);
  });

  it('use neither the console nor unsafe casts', () => {
    expect(files.filter((file) => isOffence(textOf(file)))).toEqual([]);
    expect(
      ['console.log(1)', 'x as any', 'x as never', 'x: any', '// @ts-ignore', 'x: unknown'].map(isOffence),
    ).toEqual([true, true, true, true, true, false]);
  });
});
