import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import { startApp, type TestApp } from '../support/app.js';
import { Contract } from './contract.js';
import { EXPLAINED, RULESET } from './spectral.ruleset.js';
import { fetchDocument, operationNamed, operationsOf, resolved } from './document.js';

const ADDRESSES = { BASE_URL: 'https://api.petstore.test/v1', STAGING_BASE_URL: 'https://staging.petstore.test/v1' };

let service: TestApp;
let withoutAddress: TestApp;

beforeAll(async () => {
  service = await startApp({ env: ADDRESSES });
  withoutAddress = await startApp();
});
afterAll(() => Promise.all([service.stop(), withoutAddress.stop()]));

/** Returns the linter's findings, one line each: all recommended rules, with warnings as errors. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, config, absoluteRef: '/openapi.json' });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('a linter', () => {
  it.each(['openapi.json', 'openapi.yaml'])('reports nothing for %s and its examples', async (name) => {
    expect(await lint(await (await service.request(`/${name}`)).text())).toEqual([]);
  });

  it('reports nothing if the service does not know its own address', async () => {
    expect(await lint(await (await withoutAddress.request('/openapi.json')).text())).toEqual([]);
  });

  it('reports what is wrong', async () => {
    const document = await fetchDocument(service);
    const { operation, responses } = operationNamed(document, 'getPet');
    Object.assign(operation, { operationId: 'listPets', security: [{ nothing: [] }] });
    Object.assign(responses['200']?.content?.['application/json']?.examples?.['A pet'] ?? {}, {
      value: { id: 'one' },
    });
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

/** Returns the findings of Spectral's rules and those of OWASP, except for the explained ones. */
async function spectralFaults(document: OpenAPIObject): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset(RULESET);
  const found = await spectral.run({ ...document });
  return found
    .map(({ code, path }) => ({ rule: String(code), at: path.join('/') }))
    .filter(({ rule, at }) => !EXPLAINED.some((one) => one.rule === rule && one.at.test(at)))
    .map(({ rule, at }) => `${rule}: ${at}`);
}

describe("Spectral's rules and those of OWASP", () => {
  it('report only explained findings', async () => {
    expect(await spectralFaults(await fetchDocument(service))).toEqual([]);
    expect(await spectralFaults(await fetchDocument(withoutAddress))).toEqual([]);
  });

  it('report a relative link, a string without a bound, an operation without security, and what breaks generated clients', async () => {
    const document = await fetchDocument(service);
    document.externalDocs = { url: '/docs/plans' };
    Object.assign(document.components?.schemas ?? {}, {
      Toy: { type: 'string', pattern: 'a' },
      NewToy: { type: 'object' },
      ToyState: { type: 'string', enum: ['sold'] },
    });
    Object.assign(operationNamed(document, 'createPet').operation, { security: [] });
    Object.assign(document.webhooks?.['pet.created'] ?? {}, { post: { tags: ['Pets'] } });
    Object.assign(document.components?.headers?.['Accept'] ?? {}, { schema: { type: 'string', pattern: '/' } });
    Object.assign(document.components?.schemas?.['Error'] ?? {}, { properties: { code: { anyOf: [] } } });
    expect(await spectralFaults(document)).toEqual(
      expect.arrayContaining([
        'oas3-schema: externalDocs/url',
        'owasp:api2:2023-write-restricted: paths//pets/post/security',
        'owasp:api4:2023-string-limit: components/schemas/Toy',
        'schema-is-no-constructor: components/schemas/NewToy',
        'tag-of-webhooks: webhooks',
        'values-of-one-enum: components/schemas/ToyState',
        'pattern-without-delimiter: components/headers/Accept/schema/pattern',
        'code-is-a-string: components/schemas/Error/properties/code',
      ]),
    );
  });
});

const sizeOf = async (app: TestApp) => (await (await app.request('/openapi.json')).arrayBuffer()).byteLength;

describe('the document', () => {
  // On staging, each operation has `Prefer` as well.
  it('has at most 143,000 bytes, and 146,000 on staging', async () => {
    const staging = await startApp({ env: { ENVIRONMENT: 'staging', ...ADDRESSES } });
    const [production, rehearsing] = [await sizeOf(service), await sizeOf(staging)];
    await staging.stop();
    expect(production).toBeGreaterThan(10_000);
    expect(production).toBeLessThanOrEqual(143_000);
    expect(rehearsing).toBeLessThanOrEqual(146_000);
  });

  it('has examples of headers that match their schemas, which the linter does not check', async () => {
    const document = await fetchDocument(service);
    const contract = new Contract(document);
    const headers = operationsOf(document).flatMap(({ responses }) =>
      Object.values(responses).flatMap((response) => Object.values(response.headers ?? {})),
    );
    const faults = headers
      .map((header) => resolved(document, header))
      .flatMap(({ schema, example }) =>
        schema === undefined ? ['no schema'] : contract.schemaFaults(schema, example),
      );
    expect(faults).toEqual([]);
    expect(headers.length).toBeGreaterThan(100);
  });
});
