import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { PLANS } from '../../src/auth/keys/plan.js';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { Env } from '../../src/platform/config/env.js';
import { ERROR_CODES } from '../../src/platform/errors/error-codes.js';
import * as surface from '../../src/index.js';
import * as kit from '../../src/testing/index.js';
import { files, HOME, page } from '../docs/pages.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { key, service, shareApp } from '../support/folders.js';

// Nothing listens on this port. The Redis metrics are also present while Redis is unavailable.
const NOBODY_LISTENS = {
  REDIS_URL: 'redis://127.0.0.1:1',
  WEBHOOK_KEY: 'a key of at least 32 characters, of a test',
  WEBHOOK_ALLOW: '127.0.0.0/8,http,1',
};
shareApp({ env: NOBODY_LISTENS }, { scopes: SCOPES });

const readMetrics = async () => (await service.request('/metrics')).text();

const README = page('README.md');
const CONTRIBUTING = page('CONTRIBUTING.md');

/** Returns the names of the settings with their defaults, as in the tables. */
const settings = () => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Env, '', false, false);
  const defaults = new Map(Object.entries(new Env()));
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  return names.map((name) => [name, written(defaults.get(name))] as const);
};

describe('the tables of the manual', () => {
  it('list every error code under its status, with its meaning', () => {
    const { lines } = page('docs/errors.md');
    const listed = lines.flatMap((line, at) => {
      const code = /^### (\w+)$/.exec(line)?.[1];
      const status = lines.slice(0, at).findLast((before) => before.startsWith('## ')) ?? '';
      return code === undefined ? [] : [[code, parseInt(status.slice(3)), lines[at + 2]]];
    });
    const registered = Object.entries(ERROR_CODES).map(([code, { status, meaning }]) => [code, status, meaning]);
    expect(listed.length).toBeGreaterThan(20);
    expect(listed.toSorted()).toEqual(registered.toSorted());
  });

  it('list common error codes in the README as they are registered', () => {
    const registered = new Map<string | undefined, { status: number; meaning: string }>(Object.entries(ERROR_CODES));
    const listed = README.table('Code', 'Status', 'Meaning');
    expect(listed.length).toBe(6);
    expect(listed).toEqual(
      listed.map(([code]) => [code, String(registered.get(code)?.status), registered.get(code)?.meaning]),
    );
  });

  it('list every setting with its default', () => {
    const listed = page('docs/configuration.md').table('Variable', 'Default');
    expect(listed.map(([name, value]) => [name, value]).toSorted()).toEqual(settings().toSorted());
  });

  it('list five settings in the README as they are', () => {
    const listed = README.table('Variable', 'Default').map(([name, value]) => [name, value]);
    const defaults = new Map<string | undefined, string>(settings());
    expect(listed.length).toBe(5);
    expect(listed).toEqual(listed.map(([name]) => [name, defaults.get(name)]));
  });

  it('describe every folder and file of src', () => {
    const entries = readdirSync(join(HOME, 'src'))
      .filter((name) => !name.endsWith('.spec.ts'))
      .map((name) => (statSync(join(HOME, 'src', name)).isDirectory() ? `${name}/` : name));
    const listed = page('docs/architecture.md').table('Folder or file');
    expect(listed.map(([name]) => name).toSorted()).toEqual(entries.toSorted());
  });

  it.each(['README.md', 'docs/limits.md'])('list every plan with its limits in %s', (path) => {
    const rows = Object.entries(PLANS).map(([plan, limits]) => [
      plan,
      ...(limits === undefined
        ? ['set per account', 'set per account']
        : [count(limits.perMinute), count(limits.perDay)]),
    ]);
    const listed = page(path).table('Plan');
    expect(listed.map(([plan = '', ...limits]) => [plan.toLowerCase(), ...limits])).toEqual(rows);
  });

  it('list every operation of the OpenAPI document', async () => {
    const operations = operationsOf(await fetchDocument(service)).map(({ method, path, operation }) => [
      operation.operationId,
      `${method.toUpperCase()} /v1${path}`,
      operation.security?.flatMap((requirement) => Object.values(requirement).flat()).join(', ') || 'none',
      operation['x-stability'] + (operation.deprecated === true ? ', deprecated' : ''),
    ]);
    expect(README.table('Operation', 'Request').toSorted()).toEqual(operations.toSorted());
  });

  it('list every scope', () => {
    const listed = page('docs/authentication.md').table('Scope');
    expect(listed.map(([scope]) => scope)).toEqual([...SCOPES]);
  });

  it('name metrics and labels that exist', async () => {
    // The service delivers an event.
    await service.post('/v1/webhooks', key, { url: 'http://127.0.0.1:1/', types: ['pet.*'] });
    await service.post('/v1/pets', key, { name: 'Bella', categoryId: 1 });
    await service.request('/v1/pets', { key });
    let metrics = await readMetrics();
    while (!metrics.includes('petstore_event_deliveries_total{')) metrics = await readMetrics();
    const labelled = page('docs/operating.md')
      .table('Metric')
      .map(([name = '', labels = '']) => ({ name, labels: labels.split(', ').filter((text) => text !== '') }));
    expect(labelled.flatMap(({ labels }) => labels)).toEqual(
      expect.arrayContaining(['http_request_method', 'http_route', 'http_response_status_code', 'outcome', 'plan']),
    );
    for (const { name, labels } of labelled) {
      const samples = metrics.split('\n').filter((line) => new RegExp(`^${name}(_bucket|_sum|_count)?[{ ]`).test(line));
      expect([name, samples.length]).not.toEqual([name, 0]);
      for (const label of labels) expect(samples.join('\n')).toContain(`${label}="`);
    }
  });

  it('list every script that tests', () => {
    const { scripts } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const listed = CONTRIBUTING.table('Script').map(([command = '']) => command.replace('npm run ', ''));
    const testing = Object.keys(scripts).filter((name) => name.startsWith('test:'));
    expect(listed.toSorted()).toEqual(testing.toSorted());
  });

  it('list every command of the keys command line', () => {
    const keys = page('docs/keys.md');
    const listed = keys.table('Command').map(([command = '']) => command.split(' ')[0]);
    const shown = keys.commands.flatMap((command) => /^npm run --silent keys -- (\w+)/.exec(command)?.[1] ?? []);
    expect([...new Set(shown)].toSorted()).toEqual(listed.toSorted());
  });

  it('list every decision', () => {
    const records = readdirSync(join(HOME, 'docs/decisions')).filter((name) => /^\d/.test(name));
    expect(records.length).toBeGreaterThan(8);
    const listed = page('docs/decisions/README.md').table('Record');
    expect(listed.map(([link = '']) => /\((.*)\)/.exec(link)?.[1])).toEqual(records.toSorted());
  });
});

describe('the text of the manual', () => {
  it.each(['README.md', 'docs/errors.md'])('shows an error as it is returned in %s', async (path) => {
    const shown = page(path).blocks.find(({ language }) => language === 'json')?.text ?? '';
    expect(await (await service.request('/v1/pets?limit=0', { key })).json()).toEqual(JSON.parse(shown));
  });

  it('names compose files and programs that exist', () => {
    const listed = page('docs/operating.md').table('Command', 'What it does');
    const commands = listed.map(([command = '']) => command);
    const compose = commands.flatMap((command) => [...command.matchAll(/-f (\S+)/g)].map(([, file = '']) => file));
    const programs = commands.flatMap((command) => /exec service dist\/(\S+)\.js/.exec(command)?.[1] ?? []);
    expect([compose.length, programs.length]).toEqual([2, 1]);
    expect(compose.filter((file) => !existsSync(join(HOME, file)))).toEqual([]);
    expect(programs.filter((file) => !existsSync(join(HOME, `${file}.ts`)))).toEqual([]);
  });

  it('imports only the public API in the example extension', () => {
    const imported = [...files.values()].flatMap((text) =>
      [...text.matchAll(/from '(\.\.\/[^']+|petstore-service[^']*)'/g)].map(([, to = '']) => to),
    );
    expect(new Set(imported)).toEqual(
      new Set(['petstore-service', 'petstore-service/testing', 'petstore-service/jest-preset']),
    );
  });
});

describe('the pages about extending', () => {
  const TUTORIAL = page('docs/extending.md');
  const BUILDING = page('docs/building-a-feature.md');
  const text = [...TUTORIAL.lines, ...BUILDING.lines].join('\n');
  const named = new Set([...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));

  it('names all exports of the public API', () => {
    expect(Object.keys(surface).length).toBeGreaterThan(40);
    expect(Object.keys(surface).filter((name) => !named.has(name))).toEqual([]);
  });

  it('lists every name of the kernel once', () => {
    const texts = ['kernel.ts', 'database/events/domain-event.ts'].map((path) =>
      readFileSync(join(HOME, 'src', path), 'utf8'),
    );
    const names = texts.flatMap((source) => [
      ...[...source.matchAll(/^export (?:type )?\{([^}]+)\}/gm)].flatMap(([, list = '']) => list.split(',')),
      ...[...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name),
    ]);
    const listed = BUILDING.table('Name', 'What it does').flatMap(([list = '']) => list.split(', '));
    expect(listed.toSorted()).toEqual(names.map((name) => name.replace('type ', '').trim()).toSorted());
  });

  it('lists all exports of the test kit', () => {
    const listed = TUTORIAL.table('Export').flatMap(([names = '']) => names.split(', '));
    expect(listed.toSorted()).toEqual(Object.keys(kit).toSorted());
  });

  it('lists every field of an extension and every option of the application', () => {
    const ofExtensions = fieldsOf('extensions/extension.ts', 'Extension');
    const ofDatabase = fieldsOf('database/database-options.ts', 'DatabaseParts');
    const fields = BUILDING.table('Field', 'Meaning').map(([name]) => name);
    expect(fields.toSorted()).toEqual([...ofExtensions, ...ofDatabase].toSorted());
    const options = BUILDING.table('Option').map(([name]) => name);
    expect(options.toSorted()).toEqual(fieldsOf('extensions/app-options.ts', 'AppOptions').toSorted());
  });
});

/** Returns the field names of an interface. */
function fieldsOf(path: string, name: string): string[] {
  const text = readFileSync(join(HOME, 'src', path), 'utf8');
  const [, body = ''] = new RegExp(`export interface ${name} [^{]*\\{\\n([^]*?)\\n\\}`).exec(text) ?? [];
  const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field);
  if (fields.length === 0) throw new Error(`${path} has no interface ${name}`);
  return fields;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a default value as in the tables. */
function written(value: unknown): string {
  if (value === undefined) return 'unset';
  return Array.isArray(value) && value.length === 0 ? 'none' : String(value);
}
