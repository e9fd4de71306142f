import { beforeEach, describe, expect, it } from '@jest/globals';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ApiError } from '../errors/index.js';
import { Deprecated } from '../lifecycle/index.js';
import { Operation, Public } from '../openapi/index.js';
import { BearerGuard } from './bearer.guard.js';
import type { Caller } from './caller.js';

const operation = (id: string, scope: string) =>
  ({ id, summary: id, scope, stability: 'stable', success: { status: 200, description: 'ok' }, errors: [] }) as const;

class Routes {
  @Operation(operation('readPets', 'pets:read'))
  read() {}

  @Operation(operation('writePets', 'pets:write'))
  write() {}

  @Operation(operation('oldWrite', 'pets:write'))
  @Deprecated({ since: '2026-11-21', sunset: '2030-12-05', successor: '/v1/pets', advice: '', documentation: '/docs' })
  oldWrite() {}

  @Public()
  open() {}

  undeclared() {}
}

const READER: Caller = {
  keyId: 'key_1',
  accountId: 1,
  account: 'acme',
  plan: 'pro',
  limits: { perMinute: 300, perDay: 10_000 },
  scopes: new Set(['pets:read']),
  bansLiftedAtMs: 0,
};

describe('BearerGuard', () => {
  const routes = new Routes();
  let sent: Record<string, string>;

  beforeEach(() => {
    sent = {};
  });

  function admit(route: keyof Routes, caller: Caller | undefined): unknown {
    const reply = { headers: (headers: Record<string, string>) => Object.assign(sent, headers) };
    return new BearerGuard().canActivate(new ExecutionContextHost([{ caller }, reply], Routes, routes[route]));
  }

  function refusal(route: keyof Routes, caller: Caller | undefined): ApiError {
    try {
      admit(route, caller);
    } catch (error) {
      if (error instanceof ApiError) return error;
    }
    throw new Error('The guard did not refuse.');
  }

  it('lets a caller with the scope through, at once', () => {
    expect(admit('read', READER)).toBe(true);
  });

  it('lets anybody through to a public route', () => {
    expect(admit('open', undefined)).toBe(true);
  });

  it('refuses a key without the scope, and names it', () => {
    expect(refusal('write', READER)).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      message: expect.stringContaining('pets:write'),
      headers: { 'WWW-Authenticate': 'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"' },
    });
    expect(sent).toEqual({});
  });

  it('refuses where no caller was admitted', () => {
    for (const route of ['read', 'undeclared'] as const) {
      expect(refusal(route, undefined)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
        headers: { 'WWW-Authenticate': 'Bearer realm="petstore"' },
      });
    }
  });

  it('refuses everybody on a route that does not say who may call it', () => {
    expect(refusal('undeclared', READER)).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });

  it('announces a deprecation on its refusals too', () => {
    refusal('oldWrite', READER);
    expect(sent).toMatchObject({ Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', Deprecation: '@1795219200' });
  });
});
