import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { VERSION } from '../../src/platform/config/env.js';
import { routesOf } from '../../src/extensions/nest-metadata.js';
import { currentDocument } from '../../src/openapi/document/document.js';
import { SAMPLE_PETS } from '../../src/sample-data.js';
import { FakeClock, startApp } from '../support/app.js';
import { fetchDocument, operationNamed, operationsOf } from '../openapi/document.js';
import { service, sharePreparedApp } from '../support/folders.js';

const clock = new FakeClock();
let document: OpenAPIObject;
let key: string;
sharePreparedApp({ clock, env: { STAGING_BASE_URL: 'https://staging.petstore.test/v1' } }, async () => {
  document = await fetchDocument(service);
  key = await service.key();
  for (const pet of SAMPLE_PETS) await service.post('/v1/pets', key, JSON.stringify(pet));
});

const schema = (name: string) => document.components?.schemas?.[name];
const fieldsOf = (name: string) => Object.keys((schema(name) as SchemaObject).properties ?? {});
/** Addresses of pages of the service. */
const links = ({ info, externalDocs }: OpenAPIObject) => [info.contact?.url, externalDocs?.url];

describe('the document', () => {
  it('is OpenAPI 3.1 of the service and its staging environment', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0', 'x-service-version': VERSION } });
    expect(document.servers).toEqual([
      { url: '/v1', description: 'This server (production)', 'x-internal': false },
      { url: 'https://staging.petstore.test/v1', description: 'Staging', 'x-internal': false },
    ]);
  });

  it('leads to pages of the service if it knows its own address, because such links must be absolute', async () => {
    expect(links(document)).toEqual([undefined, undefined]);
    const other = await startApp({ env: { BASE_URL: 'https://api.petstore.test/v1' } });
    const withAddress = await fetchDocument(other);
    await other.stop();
    expect(links(withAddress)).toEqual(['https://api.petstore.test/docs', 'https://api.petstore.test/docs/plans']);
  });

  it('adds the secret to the fields of a key', () => {
    const fields = fieldsOf('ApiKey');
    expect(fieldsOf('IssuedApiKey')).toEqual([...fields, 'key']);
    expect(fieldsOf('RotatedApiKey')).toEqual([...fields, 'key', 'replaces', 'replacedExpiresAt']);
  });

  it('shares responses that several operations have, and no others', () => {
    const used = JSON.stringify([document.paths, document.webhooks]).matchAll(/"#\/components\/responses\/(\w+)"/g);
    const uses = Map.groupBy([...used], ([, name]) => name);
    expect([...uses.keys()].toSorted()).toEqual(Object.keys(document.components?.responses ?? {}).toSorted());
    expect(uses.size).toBeGreaterThan(10);
    expect([...uses].filter(([, all]) => all.length < 2)).toEqual([]);
  });

  it('requires path parameters only', () => {
    const all = operationsOf(document).flatMap(({ parameters }) => parameters);
    expect(new Set(all.filter(({ required }) => required === true).map((parameter) => parameter.in))).toEqual(
      new Set(['path']),
    );
  });

  it('has an example of each body that a success returns', () => {
    const bodies = operationsOf(document).flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        status.startsWith('2') && content ? [content] : [],
      ),
    );
    expect(bodies.length).toBeGreaterThan(10);
    expect(bodies.filter((content) => !content['application/json']?.examples)).toEqual([]);
  });

  it('has every route of the controllers, except for public ones', () => {
    const documented = operationsOf(document).map(({ operation }) => String(operation.operationId));
    const declared = routesOf(service.app).map(({ operation, name }) => operation?.id ?? name);
    const open = ['live', 'ready', 'metrics'].map((name) => `MonitoringController.${name}`);
    expect(declared.toSorted()).toEqual([...documented, ...open].toSorted());
  });

  it('contains the limits of the plans', () => {
    expect(document.info.description).toContain(
      [
        '| Free | 60 | 1,000 |',
        '| Pro | 300 | 10,000 |',
        '| Business | 1,000 | 100,000 |',
        '| Enterprise | custom | custom |',
      ].join('\n'),
    );
  });
});

it('the current document is built once, and again after a removal date', () => {
  const current = currentDocument(service.app, []);
  clock.set('2030-12-04T00:00:00Z');
  const before = current();
  clock.advanceMs(1_000);
  expect(current()).toBe(before);
  clock.set('2030-12-05T00:00:00Z');
  const after = current();
  expect(after).not.toBe(before);
  clock.advanceMs(1_000);
  expect(current()).toBe(after);
  clock.set('2030-12-04T23:59:59Z');
  expect(current()).toEqual(before);
});

describe('the examples, run with the sample data', () => {
  it('of getPet return the documented example', async () => {
    const { parameters, responses } = operationNamed(document, 'getPet');
    const [petId] = parameters;
    const response = await service.request(`/v1/pets/${String(petId?.example)}`, { key });
    expect([response.status, await response.json()]).toEqual([200, ...exampleValues(responses['200'])]);
  });

  it('of listPets return the documented example', async () => {
    const { responses } = operationNamed(document, 'listPets');
    const pages = ['limit=2', 'after=5'].map((query) => service.json(`/v1/pets?${query}`, { key }));
    expect((await Promise.all(pages)).map(({ body }) => body)).toEqual(exampleValues(responses['200']));
  });

  it('of createPet return the documented example', async () => {
    const { operation, responses } = operationNamed(document, 'createPet');
    const created: unknown[] = [];
    for (const example of exampleValues(operation.requestBody as RequestBodyObject)) {
      const response = await service.post('/v1/pets', key, JSON.stringify(example));
      expect(response.status).toBe(201);
      created.push(await response.json());
    }
    expect(created).toEqual(exampleValues(responses['201']));
  });
});

function exampleValues({ content }: Pick<Partial<RequestBodyObject>, 'content'> = {}): unknown[] {
  return Object.values(content?.['application/json']?.examples ?? {}).map((example) =>
    'value' in example ? (example.value as unknown) : undefined,
  );
}
