import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Counter, Registry } from 'prom-client';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { errorOf } from '../support/expectations.js';
import { service, shareApp } from '../support/folders.js';

const unhandled = jest.fn();

shareApp();
beforeAll(async () => {
  process.on('unhandledRejection', unhandled);
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  process.off('unhandledRejection', unhandled);
});

/** The step after the decision throws, once. */
function failOnce(): void {
  const decisions = service.app.get(Registry).getSingleMetric('petstore_admissions_total') as Counter;
  jest.spyOn(decisions, 'inc').mockImplementationOnce(() => {
    throw new Error('out of order');
  });
}

describe('an error during admission', () => {
  it.each([
    ['whose key is looked up', async () => service.key()],
    [
      'whose key is known',
      async () => {
        const key = await service.key();
        await service.request('/v1/pets', { key });
        return key;
      },
    ],
    ['whose key does not exist', async () => generateApiKey('live')],
    ['without a key', async () => undefined],
  ])('returns 500 to the request %s, without an unhandled rejection', async (_whose, prepare) => {
    const key = await prepare();
    failOnce();
    const response = await service.request('/v1/pets', {
      ...(key === undefined ? {} : { key }),
      signal: AbortSignal.timeout(2_000),
    });
    expect(await errorOf(response)).toMatchObject({ status: 500, code: 'internal_error' });
    await nextTurn();
    expect(unhandled).not.toHaveBeenCalled();
  });
});
