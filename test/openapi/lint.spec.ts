import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { startApp, type TestApp } from '../support/app.js';
import { Contract } from './contract.js';
import { fetchDocument, operationNamed, operationsOf } from './document.js';

let service: TestApp;

beforeAll(async () => {
  service = await startApp({ env: { BASE_URL: 'https://api.petstore.test/v1', STAGING_BASE_URL: 'https://staging.petstore.test/v1' } });
});
afterAll(() => service.stop());

/** What the linter has against a document, one line for each place: all rules it recommends, warnings as errors. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, config, absoluteRef: '/openapi.json' });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('a linter', () => {
  it.each(['openapi.json', 'openapi.yaml'])('has nothing against %s, nor against an example in it', async (name) => {
    expect(await lint(await (await service.request(`/${name}`)).text())).toEqual([]);
  });

  it('would say what is wrong', async () => {
    const document = await fetchDocument(service);
    const { operation, responses } = operationNamed(document, 'getPet');
    Object.assign(operation, { operationId: 'listPets', security: [{ nothing: [] }] });
    Object.assign(responses['200']?.content?.['application/json']?.examples?.['An-animal'] ?? {}, { value: { id: 'one' } });
    delete document.tags?.[0]?.description;
    expect((await lint(JSON.stringify(document))).map((fault) => fault.split(':')[0]).toSorted()).toEqual([
      'no-invalid-media-type-examples',
      'no-invalid-media-type-examples',
      'no-invalid-media-type-examples',
      'operation-operationId-unique',
      'security-defined',
      'tag-description',
    ]);
  });
});

describe('the examples of headers', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await fetchDocument(service);
  });

  it('keep their schemas, which the linter does not look at', () => {
    const contract = new Contract(document);
    const headers = operationsOf(document).flatMap(({ responses }) => Object.values(responses).flatMap((response) => Object.values(response.headers ?? {})));
    const faults = headers.map((header) => contract.resolve(header)).flatMap(({ schema, example }) => (schema === undefined ? ['no schema'] : contract.schemaFaults(schema, example)));
    expect(faults).toEqual([]);
    expect(headers.length).toBeGreaterThan(100);
  });
});
