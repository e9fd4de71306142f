import { expect, it } from '@jest/globals';

interface References {
  references(): { fn: { resolveSubtree(spec: object, path: readonly string[]): Promise<{ spec: unknown }> } };
}

const SCRIPT: string = '../../src/openapi/explorer/browser/explorer/references.js';

it('the explorer resolves references, and keeps what is only named like one', async () => {
  const { references } = (await import(SCRIPT)) as References;
  const named = { type: 'object', properties: { $ref: { type: 'string' }, other: { $ref: '#/schemas/Text' } } };
  const document = { schemas: { Text: { type: 'string' }, Named: named } };
  const { spec } = await references().fn.resolveSubtree(document, ['schemas', 'Named']);
  expect(spec).toEqual({
    type: 'object',
    properties: { $ref: { type: 'string' }, other: { type: 'string', $$ref: '#/schemas/Text' } },
  });
});
