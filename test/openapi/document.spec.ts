import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { VERSION } from '../../src/platform/config/env.js';
import { currentDocument } from '../../src/openapi/document/document.js';
import { SAMPLE_PETS } from '../../src/sample-data.js';
import { FakeClock, startApp } from '../support/app.js';
import { fetchDocument, operationNamed, operationsOf } from './document.js';
import { service, sharePreparedApp } from '../support/folders.js';

/** The operations of the specification, in the order of the specification. */
const DESCRIBED = ['listPets', 'createPet', 'getPet'];

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
const TEXT = { type: 'string', minLength: 1, maxLength: 255, pattern: expect.any(String) };
const INT64 = { type: 'integer', format: 'int64' };
const STATUS = { $ref: '#/components/schemas/PetStatus' };

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
    const used = JSON.stringify(document.paths).matchAll(/"#\/components\/responses\/(\w+)"/g);
    const uses = Map.groupBy([...used], ([, name]) => name);
    expect([...uses.keys()].toSorted()).toEqual(Object.keys(document.components?.responses ?? {}).toSorted());
    expect(uses.size).toBeGreaterThan(10);
    expect([...uses].filter(([, all]) => all.length < 2)).toEqual([]);
  });

  it('has the schemas of the specification with all enforced rules', () => {
    const fields = { name: TEXT, categoryId: INT64, status: STATUS };
    expect(schema('NewPet')).toMatchObject({
      type: 'object',
      properties: fields,
      required: ['name', 'categoryId'],
      additionalProperties: false,
    });
    expect(schema('Animal')).toMatchObject({
      type: 'object',
      properties: { ...fields, id: { ...INT64, minimum: 1 } },
      required: ['name', 'categoryId', 'id'],
    });
    expect(schema('PetStatus')).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(schema('Pets')).toEqual({
      type: 'array',
      maxItems: 100,
      items: { $ref: '#/components/schemas/Animal' },
    });
    expect(schema('Error')).toMatchObject({
      type: 'object',
      properties: {
        code: { anyOf: [{ $ref: '#/components/schemas/KnownErrorCode' }, { type: 'string' }] },
        message: { type: 'string' },
        status: { type: 'integer' },
      },
      required: ['code', 'message', 'status'],
    });
  });

  it('has the parameters of the specification', () => {
    const parameters = DESCRIBED.flatMap((id) => operationNamed(document, id).parameters);
    expect(parameters.filter((parameter) => parameter.in !== 'header')).toMatchObject([
      {
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      },
      { name: 'status', in: 'query', schema: STATUS },
      { name: 'categoryId', in: 'query', schema: INT64 },
      {
        name: 'ids',
        in: 'query',
        explode: false,
        schema: { type: 'array', minItems: 1, maxItems: 100 },
      },
      { name: 'after', in: 'query', schema: { ...INT64, minimum: 1 } },
      { name: 'petId', in: 'path', required: true, schema: { ...INT64, minimum: 1 }, example: 1 },
    ]);
  });

  it('requires path parameters only', () => {
    const all = operationsOf(document).flatMap(({ parameters }) => parameters);
    expect(new Set(all.filter(({ required }) => required === true).map((parameter) => parameter.in))).toEqual(
      new Set(['path']),
    );
  });

  it('documents If-None-Match for every operation that reads the catalogue', () => {
    const reading = operationsOf(document).filter(
      ({ method, operation }) =>
        method === 'get' && ['Pets', 'Categories'].some((tag) => operation.tags?.includes(tag)),
    );
    for (const { parameters, responses } of reading) {
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header' }));
      expect(responses).toMatchObject({ 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } });
    }
    expect(reading.length).toBeGreaterThan(0);
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

  it('marks the stability of every operation, and getPet as deprecated', () => {
    const operations = operationsOf(document).map(({ operation }) => operation);
    const stable = operations.filter((operation) => operation['x-stability'] === 'stable');
    expect(stable.map(({ operationId, deprecated, 'x-sunset': sunset }) => [operationId, deprecated, sunset])).toEqual([
      ['listPets', undefined, undefined],
      ['createPet', undefined, undefined],
      ['getPet', true, '2030-12-05'],
    ]);
    const others = operations.filter(({ operationId = '' }) => !DESCRIBED.includes(operationId));
    expect(others.length).toBeGreaterThan(10);
    for (const added of others) {
      expect(['beta', 'experimental']).toContain(added['x-stability']);
    }
    expect(operationNamed(document, 'getPet').operation).toMatchObject({
      summary: 'Get a pet',
      description: expect.stringContaining(
        '**Deprecated.** Will be removed on 2030-12-05. Use GET /v1/pets: with ids, such as ?ids=1, for one pet and its ETag,',
      ),
    });
  });

  it('omits operations from their removal date on', async () => {
    clock.set('2030-12-05T00:00:00Z');
    const left = operationsOf(await fetchDocument(service)).map(({ operation }) => operation.operationId);
    expect(left).toEqual(
      operationsOf(document)
        .map(({ operation }) => operation.operationId)
        .filter((id) => id !== 'getPet'),
    );
    clock.set('2030-12-04T23:59:59Z');
    expect(await fetchDocument(service)).toEqual(document);
  });
});

describe('the current document', () => {
  it('is built once, and again after a removal date', () => {
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
    const pages = [
      await service.request('/v1/pets?limit=2', { key }),
      await service.request('/v1/pets?after=5', { key }),
    ];
    expect(await Promise.all(pages.map((page) => page.json()))).toEqual(exampleValues(responses['200']));
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
