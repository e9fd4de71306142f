import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthBench, type AuthInstance } from '../../test/support/auth-service.js';
import { callerOf } from '../../test/support/callers.js';
import { ApiError } from '../http/errors/api-error.js';
import type { Problem } from '../platform/errors/error-codes.js';
import { ACCESS, type Access, Public, RequireScope } from './access.decorators.js';
import type { Caller } from './caller.js';

class Routes {
  @RequireScope('pets:read')
  read() {}

  @RequireScope('pets:write')
  write() {}

  @Public()
  open() {}

  undeclared() {}
}

const READER = callerOf({ scopes: new Set(['pets:read']) });

describe('BearerGuard', () => {
  const routes = new Routes();
  const bench = new AuthBench();
  let service: AuthInstance;

  beforeAll(async () => {
    service = await bench.open();
  });
  afterAll(() => bench.remove());

  const accessOf = (route: keyof Routes) => Reflect.getMetadata(ACCESS, routes[route]) as Access | undefined;

  /** What the guard says to a request, which admission has asked before it, unless there is no caller. */
  function admit(route: keyof Routes, caller: Caller | undefined): unknown {
    const request = {} as FastifyRequest;
    const problem = caller && service.guard.authorize(request, caller, accessOf(route));
    if (problem !== undefined) throw ApiError.of(problem);
    return activate(route, request);
  }

  function activate(route: keyof Routes, request: object): unknown {
    return service.guard.canActivate(new ExecutionContextHost([request], Routes, routes[route]));
  }

  function refusal(route: keyof Routes, caller: Caller | undefined): Problem {
    try {
      admit(route, caller);
    } catch (error) {
      if (error instanceof ApiError) return error.problem;
    }
    throw new Error('The guard did not refuse.');
  }

  it('admits a caller with the scope synchronously', () => {
    expect(admit('read', READER)).toBe(true);
  });

  it('admits everybody to a public route', () => {
    expect(admit('open', undefined)).toBe(true);
  });

  it('refuses a key without the scope, and names the scope', () => {
    expect(refusal('write', READER)).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      message: expect.stringContaining('pets:write'),
      headers: { 'www-authenticate': 'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"' },
    });
  });

  it('refuses a request that was not admitted', () => {
    for (const route of ['read', 'undeclared'] as const) {
      expect(refusal(route, undefined)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
        headers: { 'www-authenticate': 'Bearer realm="petstore"' },
      });
    }
  });

  it('refuses a request that was admitted to another route', () => {
    const request = {} as FastifyRequest;
    service.guard.authorize(request, READER, accessOf('read'));
    expect(() => activate('write', request)).toThrow(ApiError);
    expect(() => activate('read', { caller: READER, admittedTo: { scope: 'pets:read' } })).toThrow(ApiError);
  });

  it('refuses everybody on a route that declares no access', () => {
    expect(refusal('undeclared', READER)).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });
});
