import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { FaultsModule } from '../support/faults.module.js';
import { key, service, shareApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';

const env = { CORS_ORIGINS: 'https://app.example.com' };
shareApp({ clock: new FakeClock(), extensions: [{ module: FaultsModule }], env });

const POST = { method: 'POST', path: '/v1/pets', headers: JSON_TYPE };

const ERRORS: [number, Ask][] = [
  [400, { path: '/v1/pets?limit=0' }],
  [400, { ...POST, body: '{"name":' }],
  [401, { path: '/v1/pets', key: 'psk_live_x' }],
  [404, { path: '/v1/pets/9000' }],
  [404, { path: '/v1/nothing' }],
  [405, { method: 'DELETE', path: '/v1/pets' }],
  [413, { ...POST, body: ' '.repeat(16_385) }],
  [415, { ...POST, body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  [500, { path: '/v1/faults/error' }],
];

const problemOf = async (request: Ask, Accept = 'application/problem+json') => {
  const response = await ask(service.port, { key, ...request, headers: { ...request.headers, Accept } });
  return { response, body: (await response.json()) as Record<string, unknown> };
};

it('a message of a foreign exception is cut after 2,000 characters, also in problem details', async () => {
  const request = { path: '/v1/faults/long', key };
  const { message } = await errorOf(await ask(service.port, request));
  expect(message).toBe('x'.repeat(2_000));
  expect((await problemOf(request)).body).toHaveProperty('detail', message);
});

describe('problem details (RFC 9457)', () => {
  it.each(ERRORS)(
    'have the same status and headers as the Error, for who asks for them: %i for %j',
    async (status, request) => {
      const usual = await ask(service.port, { key, ...request });
      const { code, message } = await errorOf(usual);
      const { response, body } = await problemOf(request);
      const type = 'application/problem+json; charset=utf-8';
      expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
      expect(response.headers.get('vary')).toBe(`${usual.headers.get('vary')}, Accept`);
      expect([...response.headers.keys()].toSorted()).toEqual([...usual.headers.keys()].toSorted());
      expect(body).toEqual({ type: `/docs/errors#${code}`, title: expect.any(String), status, detail: message, code });
    },
  );

  it.each([
    ['application/json, application/problem+json', true],
    ['application/problem+json;q=0.5, */*', true],
    ['Application/Problem+JSON', true],
    ['application/json, application/problem+json;q=0.9', false],
    ['application/problem+json;q=0', false],
    ['application/*', false],
    ['*/*', false],
  ])('are sent with Accept: %s, which is %s', async (accept, isProblem) => {
    const { body } = await problemOf({ path: '/v1/pets?limit=0' }, accept);
    expect('detail' in body).toBe(isProblem);
    expect('message' in body).toBe(!isProblem);
  });

  it('have the types of the draft for 429, with the window that is exhausted, and then the ban', async () => {
    const few = { account: 'few', plan: 'enterprise', perMinute: 2, perDay: 9 } as const;
    const own = await service.key(few);
    const types: unknown[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { body } = await problemOf({ path: '/v1/pets/9000', key: own });
      types.push([body['code'], String(body['type']).split('#')[1], body['violated-policies']]);
    }
    const found = ['pet_not_found', 'pet_not_found', undefined];
    const limited = ['rate_limit_exceeded', 'quota-exceeded', ['minute']];
    const banned = ['api_key_banned', 'abnormal-usage-detected', ['minute']];
    expect(types).toEqual([found, found, limited, banned, banned]);
  });
});
