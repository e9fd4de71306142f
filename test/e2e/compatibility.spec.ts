import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, ParameterObject } from '@nestjs/swagger';
import { breakingChanges } from '../openapi/breaking-changes.js';
import { fetchDocument, operationNamed, operationsOf } from '../openapi/document.js';
import { service, sharePreparedApp } from '../support/folders.js';

/** The first released document, without descriptions and examples. */
const RELEASED = JSON.parse(
  readFileSync(join(import.meta.dirname, '../openapi/history/1.0.0.json'), 'utf8'),
) as OpenAPIObject;

let document: OpenAPIObject;
sharePreparedApp({}, async () => {
  document = await fetchDocument(service);
});

/**
 * Intended changes. A guard returns 403, 401 and 429 before the operation runs. One header is the same on every response,
 * so the document describes it only once.
 */
const DECIDED = [
  ...['Deprecation', 'Sunset'].map((name) => `get /pets/{petId}: 403: header ${name} is gone`),
  ...operationsOf(RELEASED).flatMap(({ method, path, responses }) =>
    Object.keys(responses).map((status) => `${method} ${path}: ${status}: header X-Content-Type-Options is gone`),
  ),
];

describe('the document', () => {
  it('is compatible with the released one except for intended changes', () => {
    // A name needs a visible character, and its pattern takes linear time.
    const changes = breakingChanges(RELEASED, document).filter((change) => !change.includes(' name: pattern is '));
    expect(changes.toSorted()).toEqual(DECIDED.toSorted());
  });

  it('marks all additions as not part of the specification', () => {
    const described = operationsOf(RELEASED).map(({ operation }) => operation.operationId);
    const added = operationsOf(document).filter(({ operation }) => !described.includes(operation.operationId));
    expect(described).toEqual(['listPets', 'createPet', 'getPet']);
    expect(added.length).toBeGreaterThan(0);
    expect(
      added.filter(({ operation }) => !['beta', 'experimental'].includes(String(operation['x-stability']))),
    ).toEqual([]);
  });
});

/** Returns the breaking changes after an edit of the current document. */
const changed = (change: (copy: OpenAPIObject) => void) => {
  const copy = structuredClone(document);
  change(copy);
  return breakingChanges(document, copy);
};
const listPets = (copy: OpenAPIObject) => operationNamed(copy, 'listPets');
const schema = (copy: OpenAPIObject, name: string) =>
  copy.components?.schemas?.[name] as unknown as Record<string, unknown>;
const properties = (copy: OpenAPIObject, name: string) =>
  schema(copy, name)['properties'] as Record<string, Record<string, unknown>>;
const limit = (copy: OpenAPIObject) => copy.components?.parameters?.['Limit'] as ParameterObject;

it.each<[string, (copy: OpenAPIObject) => void, string]>([
  [
    'a parameter that is gone',
    (copy) => listPets(copy).operation.parameters?.shift(),
    'get /pets: parameter limit is gone',
  ],
  ['a parameter that is required', (copy) => (limit(copy).required = true), 'get /pets: parameter limit is required'],
  [
    'a new parameter that is required',
    (copy) => listPets(copy).operation.parameters?.push({ name: 'shop', in: 'query', required: true }),
    'get /pets: parameter shop is required',
  ],
  [
    'a narrower parameter',
    (copy) => Object.assign(limit(copy).schema ?? {}, { maximum: 50 }),
    'get /pets: parameter limit maximum is 50 in place of 100',
  ],
  [
    'a header that may be missing',
    (copy) => Object.assign(copy.components?.headers?.['Limit'] ?? {}, { required: false }),
    'get /pets: 200: header X-RateLimit-Limit may be missing',
  ],
  ['an error that is gone', (copy) => delete listPets(copy).operation.responses['401'], 'get /pets: 401: is gone'],
  ['a field that is gone', (copy) => delete properties(copy, 'Error')['code'], 'get /pets: 401: code is gone'],
  [
    'a field that may be missing',
    (copy) => (schema(copy, 'Animal')['required'] = ['id']),
    'get /pets/{petId}: 200: name may be missing',
  ],
  [
    'a field of another type',
    (copy) => Object.assign(properties(copy, 'Animal')['id'] ?? {}, { type: 'string' }),
    'get /pets: 200: id: type is "string" in place of "integer"',
  ],
  [
    'a value that is no longer accepted',
    (copy) => (schema(copy, 'PetStatus')['enum'] = ['available', 'pending']),
    'post /pets: the body status: sold is no longer accepted',
  ],
  [
    'a value that nobody expects',
    (copy) => (schema(copy, 'PetStatus')['enum'] = ['available', 'pending', 'sold', 'lost']),
    'get /pets: 200: status: may be lost',
  ],
  [
    'a media type that is gone',
    (copy) => delete listPets(copy).responses['200']?.content?.['application/json'],
    'get /pets: 200: application/json is gone',
  ],
])('a document that breaks clients is detected: %s', (_name, change, expected) => {
  expect(changed(change)).toContain(expected);
});
