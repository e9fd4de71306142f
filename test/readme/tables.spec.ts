import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { PLANS, SCOPES } from '../../src/auth/index.js';
import { Env } from '../../src/config/index.js';
import { ERROR_CODES } from '../../src/errors/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { commands, files, HOME, jsonExample, lines, table } from './readme.js';

let service: TestApp;
let key: string;

beforeAll(async () => {
  // Nothing listens there: what is told about Redis is told while it is away, too.
  service = await startApp({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  key = await service.key();
});
afterAll(() => service.stop());

const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

describe('the tables of the README', () => {
  it('list every error code with its status and meaning', () => {
    const rows = Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => row(`\`${code}\``, status, meaning));
    const at = lines.indexOf(row('Code', 'Status', 'Meaning')) + 2;
    expect(lines.slice(at, lines.indexOf('', at))).toEqual(rows);
  });

  it('list every setting with its default', () => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(Env, '', false, false);
    const settings = [...new Set(rules.map(({ propertyName }) => propertyName))];
    const defaults = new Map(Object.entries(new Env()));
    const listed = table('Variable', 'Default').map(([name, value]) => `${name} ${value}`);
    expect(listed.toSorted()).toEqual(settings.map((name) => `${name} ${written(defaults.get(name))}`).toSorted());
  });

  it('map every room of the house', () => {
    const rooms = readdirSync(join(HOME, 'src'))
      .filter((name) => !name.endsWith('.spec.ts'))
      .map((name) => (statSync(join(HOME, 'src', name)).isDirectory() ? `${name}/` : name));
    expect(table('Room').map(([room]) => room).toSorted()).toEqual(rooms.toSorted());
  });

  it('list every plan with its limits', () => {
    const rows = Object.entries(PLANS).map(([plan, limits]) => [
      plan,
      ...(limits === undefined ? ['set per account', 'set per account'] : [count(limits.perMinute), count(limits.perDay)]),
    ]);
    expect(table('Plan').map(([plan = '', ...limits]) => [plan.toLowerCase(), ...limits])).toEqual(rows);
  });

  it('list every operation of the OpenAPI document', async () => {
    const document = (await (await service.request('/openapi.json')).json()) as OpenApiDocument;
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        `${method.toUpperCase()} /v1${path}`,
        operation.security.flatMap((requirement) => Object.values(requirement).flat()).join(', '),
        operation['x-stability'] + (operation.deprecated === true ? ', deprecated' : ''),
      ]),
    );
    expect(table('Operation', 'Request').toSorted()).toEqual(operations.toSorted());
  });

  it('list every scope', () => {
    expect(table('Scope').map(([scope]) => scope)).toEqual([...SCOPES]);
  });

  it('name metrics and labels that exist', async () => {
    await service.request('/v1/pets', { key });
    const metrics = await (await service.request('/metrics')).text();
    for (const [name = '', labels = ''] of table('Metric')) {
      const samples = metrics.split('\n').filter((line) => line.startsWith(name));
      expect(samples).not.toEqual([]);
      for (const label of labels.split(', ').filter((text) => text !== '')) expect(samples.join('\n')).toContain(`${label}="`);
    }
  });

  it('list every command of the keys command line', () => {
    const listed = table('Command').map(([command = '']) => command.split(' ')[0]);
    const shown = commands.flatMap((command) => /^npm run --silent keys -- (\w+)/.exec(command)?.[1] ?? []);
    expect([...new Set(shown)].toSorted()).toEqual(listed.toSorted());
  });
});

describe('the text of the README', () => {
  it('shows an error as it is answered', async () => {
    expect(await (await service.request('/v1/pets?limit=0', { key })).json()).toEqual(JSON.parse(jsonExample));
  });

  it('links to headings and files that exist', () => {
    const headings = lines.filter((line) => /^#+ /.test(line)).map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));
    const links = [...lines.join('\n').matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to);
    for (const to of links.filter((link) => link.startsWith('#'))) expect(headings).toContain(to.slice(1));
    for (const to of links.filter((link) => !link.startsWith('#'))) expect(existsSync(join(HOME, to))).toBe(true);
  });

  it('has containers run what is there', () => {
    const docker = [...lines.join('\n').matchAll(/`docker compose ([^`]+)`/g)].map(([, words = '']) => words);
    expect(docker.length).toBeGreaterThan(0);
    const named = docker.flatMap((words) => [...words.matchAll(/(?:-f|exec service node) (\S+)/g)].map(([, file = '']) => file));
    expect(named.filter((file) => !existsSync(join(HOME, file)))).toEqual([]);
  });

  it('has its extension example import the public surface only', () => {
    for (const text of files.values()) {
      const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => to);
      for (const to of imported.filter((path) => path.startsWith('../'))) expect(to).toBe('../src/index.js');
    }
  });
});

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, { operationId: string; deprecated?: boolean; security: Record<string, string[]>[]; 'x-stability': string }>>;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A default as the table writes it. */
function written(value: unknown): string {
  if (value === undefined) return 'unset';
  return Array.isArray(value) && value.length === 0 ? 'none' : String(value);
}
