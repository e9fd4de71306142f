import { describe, expect, it } from '@jest/globals';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../../test/support/callers.js';
import { ApiError } from '../http/errors/api-error.js';
import { ACCESS, type Access, Public, RequireScope } from './access.decorators.js';
import type { KeyChangesPoller } from './authentication/key-changes.poller.js';
import type { KeyVerifier } from './authentication/key-verifier.js';
import { BearerGuard, readBearerToken } from './bearer.guard.js';
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
const BEARER = 'Bearer realm="petstore"';

describe('BearerGuard', () => {
  const routes = new Routes();
  const guard = new BearerGuard({} as KeyVerifier, {} as KeyChangesPoller, new Reflector());

  const accessOf = (route: keyof Routes) => Reflect.getMetadata(ACCESS, routes[route]) as Access | undefined;
  const activate = (route: keyof Routes, request: object) =>
    guard.canActivate(new ExecutionContextHost([request], Routes, routes[route]));

  /** What the guard says to a request, which admission has asked before it, unless there is no caller. */
  function admit(route: keyof Routes, caller: Caller | undefined): unknown {
    const request = {} as FastifyRequest;
    const problem = caller && guard.authorize(request, caller, accessOf(route));
    if (problem !== undefined) return problem;
    try {
      return activate(route, request);
    } catch (error) {
      return error instanceof ApiError ? error.problem : error;
    }
  }

  it('admits a caller with the scope, and everybody to a public route', () => {
    expect([admit('read', READER), admit('open', undefined)]).toEqual([true, true]);
  });

  it.each(['read', 'undeclared'] as const)('refuses a request that was not admitted: %s', (route) => {
    const headers = { 'www-authenticate': BEARER };
    expect(admit(route, undefined)).toMatchObject({ status: 401, code: 'missing_api_key', headers });
  });

  it('refuses a request that was admitted to another route', () => {
    const request = {} as FastifyRequest;
    guard.authorize(request, READER, accessOf('read'));
    expect(() => activate('write', request)).toThrow(ApiError);
    expect(() => activate('read', { caller: READER, admittedTo: { scope: 'pets:read' } })).toThrow(ApiError);
  });

  it('refuses everybody on a route that declares no access', () => {
    expect(admit('undeclared', READER)).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });
});

function requestWith(...rawHeaders: string[]) {
  const index = rawHeaders.findIndex((name, position) => position % 2 === 0 && name.toLowerCase() === 'authorization');
  return {
    url: '/v1/pets',
    headers: { authorization: index < 0 ? undefined : rawHeaders[index + 1] },
    raw: { rawHeaders },
  };
}

describe('readBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['Bearer    abc', 'abc'],
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['Bearer bearer', 'bearer'],
  ])('reads "%s"', (header, token) => {
    expect(readBearerToken(requestWith('Host', 'x', 'Authorization', header))).toBe(token);
  });

  it('reads a header whose name is in any case, or the value of another one', () => {
    expect(readBearerToken(requestWith('aUTHORIZATION', 'Bearer abc'))).toBe('abc');
    expect(readBearerToken(requestWith('X-First', 'authorization', 'Authorization', 'Bearer abc'))).toBe('abc');
  });
});
