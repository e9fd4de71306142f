import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, OperationObject, SchemaObject } from '@nestjs/swagger';
import { VERSION } from '../../src/platform/config/env.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { bare, changesPage, history, PAGE } from '../openapi/changes.js';
import { contractChanges } from '../openapi/contract-changes.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';

let document: OpenAPIObject;
sharePreparedApp({}, async () => {
  document = await fetchDocument(service);
});

describe('the page of changes', () => {
  it('is as the documents of all versions say; npm run changes writes it anew', () => {
    expect(readFileSync(PAGE, 'utf8').split('\n')).toEqual(changesPage(history(), document).split('\n'));
  });

  it('has a document of each released version, without descriptions and examples', () => {
    const released = history();
    expect(released.map(({ name }) => name)).toEqual(expect.arrayContaining(['1.0.0', VERSION]));
    for (const { document: kept } of released) expect(bare(kept)).toEqual(kept);
  });
});

/** The changes after an edit of the current document. */
function changed(edit: (copy: OpenAPIObject) => void) {
  const copy = structuredClone(document);
  edit(copy);
  return contractChanges(document, copy);
}
const schemasOf = ({ components }: OpenAPIObject) => components?.schemas as Record<string, SchemaObject>;
const propertiesOf = (copy: OpenAPIObject, name: string) => schemasOf(copy)[name]?.properties as object;
const operation = (copy: OpenAPIObject, id: string): OperationObject => operationNamed(copy, id).operation;

const edited = (id: string, more: object) => (copy: OpenAPIObject) => Object.assign(operation(copy, id), more);

describe('the changes of a version', () => {
  it.each<[string, (copy: OpenAPIObject) => void, string[]]>([
    ['nothing', () => undefined, []],
    ['a word', edited('listPets', { description: 'Another word.' }), []],
    [
      'an operation',
      (copy) => {
        copy.paths['/toys'] = {
          get: { ...operation(copy, 'listPets'), operationId: 'listToys', summary: 'List toys' },
        };
      },
      ['New operation `listToys` (`GET /toys`, stable): List toys.'],
    ],
    [
      'a parameter',
      (copy) => operation(copy, 'listPets').parameters?.push({ name: 'name', in: 'query', schema: { type: 'string' } }),
      ['New parameter `name`: `listPets`.'],
    ],
    [
      'a field of a body and of responses',
      (copy) => {
        for (const name of ['OrderCreation', 'Order'])
          Object.assign(propertiesOf(copy, name), { note: { type: 'string' } });
      },
      [
        'New field `note` of the body: `placeOrder`.',
        'New field `note` of the response: `placeOrder`, `listOrders`, `getOrder`, `changeOrder`.',
      ],
    ],
    [
      'a code',
      (copy) => schemasOf(copy)['KnownErrorCode']?.enum?.push('out_of_toys'),
      ['New error codes: `out_of_toys`.'],
    ],
  ])('tell what is new: %s', (_, edit, added) => {
    const changes = changed(edit);
    expect({ ...changes, added: changes.added.toSorted() }).toEqual({ added: added.toSorted(), broken: [] });
  });

  it.each<[string, (copy: OpenAPIObject) => void, string]>([
    ['an operation is gone', (copy) => delete copy.paths['/usage'], 'Removed operation `getUsage`.'],
    [
      'another scope',
      edited('listPets', { security: [{ apiKey: ['pets:list'] }] }),
      'Needs the scope `pets:list`: `listPets`.',
    ],
    ['another stability', edited('placeOrder', { 'x-stability': 'beta' }), 'Is `beta`: `placeOrder`.'],
    ['a removal', edited('placeOrder', { 'x-sunset': '2031-01-01' }), 'Will be removed on 2031-01-01: `placeOrder`.'],
    [
      'a field that must be sent',
      (copy) => schemasOf(copy)['NewPet']?.required?.push('status'),
      '`status` is required: `createPet`.',
    ],
    [
      'a header that only some responses lost',
      (copy) => delete operationNamed(copy, 'getPet').responses['404']?.headers?.['Sunset'],
      'Removed header `Sunset`: `getPet` (404).',
    ],
    [
      'a narrower bound',
      (copy) => Object.assign(Object.values(propertiesOf(copy, 'NewPet'))[0] as object, { pattern: '^[a-z]+$' }),
      'Changed pattern of `name`: `createPet`.',
    ],
    [
      'another name of a schema',
      (copy) => {
        schemasOf(copy)['Pet'] = schemasOf(copy)['PetChange'] ?? {};
        delete schemasOf(copy)['PetChange'];
        const { content } = operation(copy, 'changePet').requestBody as { content: Record<string, { schema: object }> };
        for (const media of Object.values(content)) media.schema = { $ref: '#/components/schemas/Pet' };
      },
      'Removed or renamed schemas: `PetChange`.',
    ],
  ])('tell what can break clients: %s', (_, edit, line) => {
    expect(changed(edit).broken).toContain(line);
  });
});
