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

/** Files of ours that a file names: in imports, static or dynamic, and in declarations that extend their types. */
function importsIn(from: string, text: string): Import[] {
  return [...text.matchAll(/(?:from |import |import\(|declare module )'(\.[^']+)\.js'/g)].map((match) => ({
    from,
    to: relative(SRC, resolve(SRC, dirname(from), `${match[1]}.ts`)),
  }));
}

/** Names of the packages that are imported for more than their types. */
function packagesIn(text: string): string[] {
  const all = text.matchAll(/^(?:import|export) (?!type )[^;]*? from '((?!node:)(?:@[^/']+\/)?[^./'][^/']*)/gm);
  return [...all].map(([, name = '']) => name);
}

/** Programs are entry points, like the files of `src` itself. */
const roomOf = (file: string) =>
  file.includes('/') && !file.startsWith('programs/') ? file.slice(0, file.indexOf('/')) : '';

const isSpec = (file: string) => file.endsWith('.spec.ts');

const sources = files.filter((file) => !isSpec(file));

/** The door is a room of its own, between the features and the rest. */
const DOOR = 'kernel.ts';

const FEATURES = ['webhooks', 'event-feed', 'store', 'pets', 'categories'];

/** Rooms of `src`, each above those that it can import. */
const FLOORS = [
  'testing',
  '',
  ...FEATURES,
  DOOR,
  'accounts',
  'extensions',
  'monitoring',
  'openapi',
  'rate-limit',
  'auth',
  'lifecycle',
  'http',
  'database',
  'platform',
];

const floorOf = (file: string) => FLOORS.indexOf(file === DOOR ? DOOR : roomOf(file));

/** Properties that files of ours add to the types of packages, by the file that declares them. */
const added = sources.flatMap((file) =>
  [...textOf(file).matchAll(/^declare (?:module '[^.][^']*'|global) \{\n([^]*?)^\}/gm)].flatMap(([, body = '']) =>
    [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??:/gm)].map(([, property = '']) => ({ file, property })),
  ),
);

/** A use of an added property is an import of its declaration. */
function usesOf(from: string, text: string): Import[] {
  return added
    .filter(({ property }) =>
      new RegExp(
        `\\b(?:request|config|server|reply)\\??\\.${property}\\b|` +
          `\\{[^{}]*(?<![\\w-])${property}(?![\\w-])[^{}]*\\}(?:: Fastify\\w+| = request|[^;\\n]* = \\S*(?:routeOptions|config)\\b)`,
      ).test(text),
    )
    .map(({ file: to }) => ({ from, to }));
}

const imports = sources.flatMap((from) => [...importsIn(from, textOf(from)), ...usesOf(from, textOf(from))]);

const upwardIn = (all: readonly Import[]) => all.filter(({ from, to }) => floorOf(to) < floorOf(from));

const isFeature = (file: string) => FEATURES.includes(roomOf(file));

/** Imports of a feature that pass neither the door nor the index of another feature. */
const climbsIn = (all: readonly Import[]) =>
  all.filter(
    ({ from, to }) =>
      isFeature(from) &&
      roomOf(from) !== roomOf(to) &&
      to !== DOOR &&
      !(isFeature(to) && to === join(roomOf(to), 'index.ts')),
  );

/** Imports of a feature from elsewhere that look behind its index. */
const intrusionsIn = (all: readonly Import[]) =>
  all.filter(({ from, to }) => isFeature(to) && roomOf(from) !== roomOf(to) && to !== join(roomOf(to), 'index.ts'));

/** Names that a file hands on, with those of files that it hands on whole. */
function handedOn(file: string): string[] {
  const text = textOf(file);
  const whole = [...text.matchAll(/export \* from '(\.[^']+)\.js'/g)].flatMap(([, path]) =>
    declaredIn(relative(SRC, resolve(SRC, dirname(file), `${path}.ts`))),
  );
  const named = [...text.matchAll(/export (?:type )?\{([^}]+)\} from/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace('type ', '').trim()),
  );
  return [...whole, ...named].filter((name) => name !== '');
}

function declaredIn(file: string): string[] {
  const declared = textOf(file).matchAll(/^export (?:abstract )?(?:class|function|const|interface|type) (\w+)/gm);
  return [...[...declared].map(([, name = '']) => name), ...handedOn(file)];
}

const isForOddsAndEnds = (file: string) => /(^|\/)(common|shared|utils?|helpers?|misc)(\/|\.)/.test(file);

const isOffence = (text: string) => /console\.|\bas any\b|\bas never\b|: any\b|@ts-/.test(text);

describe('the rooms', () => {
  it('stand on floors, and import downwards only', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(FLOORS.filter((floor) => floor !== DOOR)));
    expect(upwardIn(imports)).toEqual([]);
    const up = importsIn('http/server.ts', "await import('../pets/index.js'); declare module '../auth/caller.js' {");
    expect(upwardIn(up).map(({ to }) => to)).toEqual(['pets/index.ts', 'auth/caller.ts']);
  });

  it('read no property of a request that a room above declares', () => {
    expect(added.map(({ property }) => property)).toEqual(expect.arrayContaining(['caller', 'access', 'rawBody']));
    const uses = [
      'request.caller?.keyId',
      '({ id, caller }: FastifyRequest) =>',
      'const { access } = routeOptions.config;',
    ];
    expect(uses.flatMap((use) => upwardIn(usesOf('platform/logging/log.ts', use)))).toHaveLength(uses.length);
  });

  it('have features that import only the door, packages and the index of each other', () => {
    expect(climbsIn(imports)).toEqual([]);
    expect(intrusionsIn(imports)).toEqual([]);
    const [deep, behind] = importsIn('store/a.ts', "from '../auth/caller.js'; from '../pets/pet.dto.js'");
    expect(climbsIn([deep, behind].filter((one) => one !== undefined))).toEqual([deep, behind]);
  });

  it('hand on at most 25 names each', () => {
    const indexes = sources.filter((file) => file.endsWith('/index.ts'));
    expect(indexes.length).toBeGreaterThan(FEATURES.length);
    expect(indexes.filter((file) => handedOn(file).length > 25)).toEqual([]);
    expect(handedOn('pets/index.ts')).toEqual(expect.arrayContaining(['PetsService', 'PetRow']));
  });

  it('have a door whose names are used in front of it or documented for teams', () => {
    const inFront = sources.filter(isFeature).map(textOf).join('\n');
    const manual = readdirSync(join(SRC, '../docs'))
      .filter((page) => page.endsWith('.md') && page !== 'public-api.md')
      .map((page) => readFileSync(join(SRC, '../docs', page), 'utf8'))
      .join('\n');
    const names = handedOn(DOOR);
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(inFront + manual))).toEqual([]);
  });

  it('have no folder of more than 16 files, except of migrations', () => {
    const folders = Map.groupBy(sources, (file) => dirname(file));
    folders.delete('database/migrations');
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
      sources.filter((file) => !file.endsWith('.d.ts')).flatMap((file) => packagesIn(textOf(file))),
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
    expect(files.filter((file) => textOf(file).split('\n').length > 210)).toEqual([]);
  });

  it('use neither the console nor unsafe casts', () => {
    expect(files.filter((file) => isOffence(textOf(file)))).toEqual([]);
    expect(
      ['console.log(1)', 'x as any', 'x as never', 'x: any', '// @ts-ignore', 'x: unknown'].map(isOffence),
    ).toEqual([true, true, true, true, true, false]);
  });
});
