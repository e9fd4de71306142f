import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { databaseOf, withoutDatabase } from '../support/databases.js';
import { captureOutput, linesOf, type LogLine } from '../support/main-program.js';
import { JSON_TYPE } from '../support/http.js';

const REQUESTS = 50;
const LIST = { level: 'error', method: 'GET', route: '/v1/pets', status: 503, code: 'service_unavailable' };

let lines: LogLine[];

/** The database goes away, many requests fail, it comes back, and the service stops. */
beforeAll(async () => {
  const output = captureOutput();
  const service = await startApp({ env: { LOG_LEVEL: 'info' } });
  const key = await service.key();
  await service.request('/v1/pets', { key });
  await withoutDatabase(databaseOf(service.folder), async () => {
    for (let n = 0; n < REQUESTS; n += 1) await service.request('/v1/pets?after=1', { key });
    const headers = { ...JSON_TYPE, 'X-Request-Id': 'create-1' };
    await service.request('/v1/pets', { key, method: 'POST', headers, body: '{"name":"x","categoryId":1}' });
  });
  await service.stop();
  lines = linesOf(output(), '"Errors"');
});

describe('failed requests', () => {
  it('are logged as one line for the first of each kind, and one with the count of the others', () => {
    const caller = {
      durationMs: expect.any(Number),
      keyId: expect.stringMatching(/^key_/),
      accountId: expect.any(Number),
    };
    expect(lines).toMatchObject([
      { message: 'request failed', ...LIST, ...caller },
      { message: 'request failed', ...LIST, ...caller, method: 'POST', requestId: 'create-1' },
      { message: 'more requests failed in the same way', ...LIST, count: REQUESTS - 1 },
    ]);
  });

  it('are logged with the reason but no stack if the database is unavailable', () => {
    expect(lines[0]?.['error']).toMatch(/\nbecause of .*petstore.sqlite is not the file that was opened/);
    expect(lines[0]?.['error']).not.toMatch(/\n\s+at /);
  });
});
