import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SRC = resolve(import.meta.dirname, '../src');

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), 'utf8');
  return [...text.matchAll(/(?:from|import) '(\.[^']+)\.js'/g)].map((match) => ({
    from,
    to: relative(SRC, resolve(SRC, dirname(from), `${match[1]}.ts`)),
  }));
});

const room = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');
/** Specs may use what all tests share. */
const crossings = imports.filter(({ from, to }) => room(from) !== '' && room(from) !== room(to) && room(to) !== '..');

describe('the house', () => {
  it('lets a feature into another one through its index only', () => {
    expect(crossings.filter(({ to }) => to !== `${room(to)}/index.ts`)).toEqual([]);
  });

  it('has no cycle between features', () => {
    const neighbours = Map.groupBy(crossings, ({ from }) => room(from));
    const cycles: string[] = [];
    const visit = (at: string, path: readonly string[]): void => {
      if (path.includes(at)) {
        cycles.push([...path, at].join(' -> '));
        return;
      }
      for (const next of new Set((neighbours.get(at) ?? []).map(({ to }) => room(to)))) visit(next, [...path, at]);
    };
    for (const start of neighbours.keys()) visit(start, []);
    expect(cycles).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('process.env'));
    expect(readers).toEqual(['config/env.ts']);
  });

  it('has no room for odds and ends', () => {
    expect(files.filter((file) => /(^|\/)(common|shared|utils?|helpers?|misc)(\/|\.)/.test(file))).toEqual([]);
  });

  it('keeps files small', () => {
    const long = files.filter((file) => readFileSync(join(SRC, file), 'utf8').split('\n').length > 201);
    expect(long).toEqual([]);
  });

  it('never writes console output or types anything away', () => {
    const offences = files.filter((file) => /console\.|\bas any\b|: any\b|@ts-/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(offences).toEqual([]);
  });
});
