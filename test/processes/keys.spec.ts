import { describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { runKeys } from '../support/service-process.js';
import { until } from '../support/until.js';

sharePreparedApp();

const keys = (...args: string[]) =>
  runKeys(args, {
    folder: service.folder,
    // Variables of extensions and of other programs are none of its own.
    env: {
      DATABASE_URL: databaseUrl(service.folder),
      RATE_OF_REVIEWS: '3',
      REDIS_TLS_URL: 'rediss://redis.example.com',
    },
  });

describe('the keys program', () => {
  it('creates a key that a running service accepts', async () => {
    const { code, stdout, stderr } = await keys('create', '--account', 'acme', '--plan', 'pro', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { key } = JSON.parse(stdout) as { key: string };
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
  });

  it('revokes a key of a running service', async () => {
    const { id, key } = await service.createKey();
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n`, stderr: '' });
    await until(async () => (await service.request('/v1/pets', { key })).status === 401);
    expect(await errorOf(await service.request('/v1/pets', { key }))).toMatchObject({ code: 'api_key_revoked' });
  });

  it('refuses wrong arguments on standard error, with 2', async () => {
    expect(await keys('create', '--plan', 'pro')).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(/^.*--account.*\n$/),
    });
  });
});
