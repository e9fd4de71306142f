import { expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';

sharePreparedApp();

// manual.spec.ts compares the scopes of the document with those of the README.
it('each operation but getUsage needs the scope of the document, and no other', async () => {
  const operations = operationsOf(await fetchDocument(service)).map(({ operation, method, path }) => ({
    id: operation.operationId,
    scopes: (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat()),
    call: async (scopes: readonly string[]) => {
      const key = await service.key({ ...AMPLE, scopes });
      return service.request(`/v1${path.replace(/\{\w+\}/, '404')}`, { key, method: method.toUpperCase() });
    },
  }));
  const withScope = operations.filter(({ scopes }) => scopes.length === 1);
  expect(operations.filter((one) => !withScope.includes(one))).toMatchObject([{ id: 'getUsage', scopes: [] }]);
  for (const { id, scopes, call } of withScope) {
    expect(await errorOf(await call(SCOPES.filter((one) => !scopes.includes(one))))).toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringMatching(new RegExp(`; this operation needs ${scopes[0]}\\.$`)),
    });
    expect([id, (await call(scopes)).status]).not.toEqual([id, 403]);
  }
});
