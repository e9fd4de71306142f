import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { errorOf } from '../support/expectations.js';
import { service, shareApp } from '../support/folders.js';

describe.each([
  { environment: 'production', other: 'staging', prefix: 'psk_live_', otherKind: 'test' as const },
  { environment: 'staging', other: 'production', prefix: 'psk_test_', otherKind: 'live' as const },
])('in $environment', ({ environment, other, prefix, otherKind }) => {
  shareApp({ env: { ENVIRONMENT: environment } });

  it(`a key and its successor start with ${prefix}`, async () => {
    const key = await service.key({ scopes: ['pets:read', 'keys:manage'] });
    expect(key.startsWith(prefix)).toBe(true);
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
    const made = (await (await service.post('/v1/keys', key, '{}')).json()) as { id: string; key: string };
    const rotated = await service.post(`/v1/keys/${made.id}/rotate`, key, '{}');
    const next = (await rotated.json()) as { key: string };
    expect([made.key, next.key].map((one) => one.startsWith(prefix))).toEqual([true, true]);
  });

  it(`a key of ${other} is refused, and the message explains it`, async () => {
    const response = await service.request('/v1/pets', { key: generateApiKey(otherKind) });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="petstore", error="invalid_token"',
    ]);
    expect(await errorOf(response)).toEqual({
      code: 'invalid_api_key',
      message: expect.stringContaining(`is for the ${other} environment`),
      status: 401,
    });
  });
});
