import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, ParameterObject, RequestBodyObject } from '@nestjs/swagger';
import { SAMPLE_PETS } from '../../src/first-run/sample-pets.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { fetchDocument, operationNamed, operationsOf } from './document.js';

/** The operations of the specification, in the order in which it describes them. */
const DESCRIBED = ['listPets', 'createPet', 'getPet'];

const clock = new FakeClock();
let service: TestApp;
let document: OpenAPIObject;
let key: string;

beforeAll(async () => {
  service = await startApp({ clock, env: { STAGING_BASE_URL: 'https://staging.petstore.test/v1' } });
  document = await fetchDocument(service);
  key = await service.key();
  for (const pet of SAMPLE_PETS) await service.post('/v1/pets', key, JSON.stringify(pet));
});
afterAll(() => service.stop());

const schema = (name: string) => document.components?.schemas?.[name];
const TEXT = { type: 'string', minLength: 1, maxLength: 255, pattern: expect.any(String) };
const INT64 = { type: 'integer', format: 'int64' };
const STATUS = { $ref: '#/components/schemas/PetStatus' };

describe('the document', () => {
  it('is OpenAPI 3.1 of the service and its staging environment', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    expect(document.servers).toEqual([
      { url: '/v1', description: 'This server' },
      { url: 'https://staging.petstore.test/v1', description: 'Staging' },
    ]);
  });

  it('has the schemas of the specification with every rule that is enforced', () => {
    const fields = { name: TEXT, categoryId: INT64, status: STATUS };
    expect(schema('NewPet')).toMatchObject({ type: 'object', properties: fields, required: ['name', 'categoryId'], additionalProperties: false });
    expect(schema('Animal')).toMatchObject({ type: 'object', properties: { ...fields, id: { ...INT64, minimum: 1 } }, required: ['name', 'categoryId', 'id'] });
    expect(schema('PetStatus')).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(schema('Pets')).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Animal' } });
    expect(schema('Error')).toMatchObject({
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
      required: ['code', 'message', 'status'],
    });
  });

  it('has the parameters of the specification', () => {
    const parameters = DESCRIBED.flatMap((id) => (operationNamed(document, id).operation.parameters ?? []) as ParameterObject[]);
    expect(parameters.filter((parameter) => parameter.in !== 'header')).toMatchObject([
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'status', in: 'query', required: false, schema: STATUS },
      { name: 'after', in: 'query', required: false, schema: { ...INT64, minimum: 1 } },
      { name: 'petId', in: 'path', required: true, schema: { ...INT64, minimum: 1 }, example: 1 },
    ]);
  });

  it('lets every operation that reads the catalogue be asked for changes only', () => {
    const reading = operationsOf(document).filter(({ method, operation }) => method === 'get' && ['Pets', 'Categories'].some((tag) => operation.tags?.includes(tag)));
    for (const { operation, responses } of reading) {
      expect(operation.parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header', required: false }));
      expect(responses).toMatchObject({ 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } });
    }
    expect(reading.length).toBeGreaterThan(0);
  });

  it('says the limits of the plans as the specification does', () => {
    expect(document.info.description).toContain(
      ['| Free | 60 | 1,000 |', '| Pro | 300 | 10,000 |', '| Business | 1,000 | 100,000 |', '| Enterprise | custom | custom |'].join('\n'),
    );
  });

  it('marks every operation by its stability, and getPet as deprecated', () => {
    const operations = operationsOf(document).map(({ operation }) => operation);
    const stable = operations.filter((operation) => operation['x-stability'] === 'stable');
    expect(stable.map(({ operationId, deprecated, 'x-sunset': sunset }) => [operationId, deprecated, sunset])).toEqual([
      ['listPets', undefined, undefined],
      ['createPet', undefined, undefined],
      ['getPet', true, '2030-12-05'],
    ]);
    for (const added of operations.filter(({ operationId = '' }) => !DESCRIBED.includes(operationId))) {
      expect(['beta', 'experimental']).toContain(added['x-stability']);
      expect(added.summary).toContain(`(${added['x-stability']})`);
    }
    expect(operationNamed(document, 'getPet').operation).toMatchObject({
      summary: 'Get an animal (deprecated, removal on 2030-12-05)',
      description: expect.stringContaining('**Deprecated.** Will be removed on 2030-12-05. Use GET /v1/pets with the status filter.'),
    });
  });

  it('has no operation any more whose removal date has come', async () => {
    clock.set('2030-12-05T00:00:00Z');
    const left = operationsOf(await fetchDocument(service)).map(({ operation }) => operation.operationId);
    expect(left).toEqual(operationsOf(document).map(({ operation }) => operation.operationId).filter((id) => id !== 'getPet'));
    clock.set('2030-12-04T23:59:59Z');
    expect(await fetchDocument(service)).toEqual(document);
  });
});

describe('the examples, tried as they stand on the samples of a first start', () => {
  it('get what the success of getPet shows', async () => {
    const { operation, responses } = operationNamed(document, 'getPet');
    const [petId] = operation.parameters as ParameterObject[];
    const answer = await service.request(`/v1/pets/${String(petId?.example)}`, { key });
    expect([answer.status, await answer.json()]).toEqual([200, ...exampleValues(responses['200'])]);
  });

  it('list animals as the success of listPets shows them', async () => {
    const { responses } = operationNamed(document, 'listPets');
    const pages = [await service.request('/v1/pets?limit=2', { key }), await service.request('/v1/pets?after=5', { key })];
    expect(await Promise.all(pages.map((page) => page.json()))).toEqual(exampleValues(responses['200']));
  });

  it('create what the success of createPet shows', async () => {
    const { operation, responses } = operationNamed(document, 'createPet');
    const created: unknown[] = [];
    for (const example of exampleValues(operation.requestBody as RequestBodyObject)) {
      const answer = await service.post('/v1/pets', key, JSON.stringify(example));
      expect(answer.status).toBe(201);
      created.push(await answer.json());
    }
    expect(created).toEqual(exampleValues(responses['201']));
  });
});

function exampleValues({ content }: Pick<Partial<RequestBodyObject>, 'content'> = {}): unknown[] {
  return Object.values(content?.['application/json']?.examples ?? {}).map((example) => ('value' in example ? (example.value as unknown) : undefined));
}
