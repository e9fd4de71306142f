import { beforeEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import * as exported from '../../src/index.js';
import { FakeClock, startApp, trio } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { service, shareApp } from '../support/folders.js';
import { REPORTS } from '../support/reports.module.js';

const MINUTE = 60;
const SCOPES = ['reports:read', 'reports:write', 'pets:read'];

const clock = new FakeClock();
let key: string;

shareApp({ clock, extensions: [REPORTS] });
beforeEach(async () => {
  key = await service.key({ scopes: SCOPES });
});

const create = (title: unknown, as = key) => service.post('/v1/reports', as, JSON.stringify({ title }));
const list = (as = key, query = '') => service.request(`/v1/reports${query}`, { key: as });

describe('a module of another team', () => {
  it('has routes below the prefix, and reads and writes its own table', async () => {
    const response = await create('Sales');
    expect([response.status, await response.json()]).toEqual([
      201,
      { id: expect.any(Number), title: 'Sales', account: expect.stringMatching(/^account /) },
    ]);
    await create('Adoptions');
    expect(await (await list()).json()).toEqual(['Adoptions', 'Sales']);
    expect(await (await list(key, '?limit=1&order=desc')).json()).toEqual(['Sales']);
    expect((await service.request('/reports', { key })).status).toBe(404);
  });

  it('keeps its table over a restart, without running its migrations again', async () => {
    await create('Kept');
    const second = await startApp({ clock, folder: service.folder, extensions: [REPORTS] });
    const titles = await (
      await second.request('/v1/reports', { key: await second.key({ account: 'second', scopes: SCOPES }) })
    ).json();
    await second.stop({ keepData: true });
    expect(titles).toContain('Kept');
  });

  it('has the same rules as the service: key, scope, method, body, parameters', async () => {
    expect(await errorOf(await service.request('/v1/reports'))).toMatchObject({ status: 401, code: 'missing_api_key' });
    const reader = await service.key();
    expect(await errorOf(await create('x', reader))).toMatchObject({
      status: 403,
      message: expect.stringContaining('reports:write'),
    });
    const refusals = [
      [await service.request('/v1/reports', { key, method: 'DELETE' }), 'method_not_allowed'],
      [await service.post('/v1/reports', key, '{"title":'), 'malformed_json'],
      [await create('x'.repeat(41)), 'validation_failed'],
      [await create(5), 'validation_failed'],
      [await service.post('/v1/reports', key, '{"title":"x","id":1}'), 'validation_failed'],
      [await service.post('/v1/reports?dry=1', key, '{"title":"x"}'), 'validation_failed'],
      [await list(key, '?limit=11'), 'validation_failed'],
      [await list(key, '?sort=asc'), 'validation_failed'],
    ] as const;
    for (const [response, code] of refusals) {
      expectTrio(response);
      expect(await errorOf(response)).toMatchObject({ code });
    }
  });

  it('returns its own errors as Error objects, and rolls back a refused write', async () => {
    await create('Once');
    const response = await create('Once');
    expectTrio(response);
    expect(await errorOf(response)).toEqual({
      code: 'report_title_taken',
      message: 'There is a report titled "Once" already.',
      status: 409,
    });
    expect(await (await list(key, '?limit=10')).json()).not.toContain('Once, again');
  });
});

const MODULES = new Set<unknown>([exported.PetsModule, exported.EventsModule, exported.RedisModule]);

@Module({ imports: [exported.PetsModule, exported.EventsModule] })
class InjectingModule {
  constructor(private readonly modules: ModuleRef) {}

  /** Creates a provider of this module that has another one injected. */
  async inject(token: Function): Promise<unknown> {
    @Injectable()
    class Injected {
      constructor(@Inject(token) readonly value: unknown) {}
    }
    return (await this.modules.create(Injected)).value;
  }
}

describe('a provider of another team', () => {
  it('gets each exported service injected, without importing other modules than PetsModule and EventsModule', async () => {
    const { app, stop } = await startApp({ extensions: [{ module: InjectingModule }] });
    const isProvided = (value: unknown): value is Type => {
      if (typeof value !== 'function' || MODULES.has(value)) return false;
      try {
        return app.get(value as Type, { strict: false }) !== undefined;
      } catch {
        return false;
      }
    };
    const services = Object.values(exported).filter(isProvided);
    expect(services.map(({ name }) => name).toSorted()).toEqual([
      'Clock',
      'CounterStore',
      'Database',
      'Env',
      'Events',
      'KeyVerifier',
      'OldRows',
      'PetsService',
      'Registry',
    ]);
    for (const token of services)
      expect(await app.get(InjectingModule).inject(token)).toBe(app.get(token, { strict: false }));
    await stop();
  });
});

describe('an additional limit by @Throttle', () => {
  it('is shared by the account, and returns 429 with the window of the route', async () => {
    const account = { account: 'throttled', scopes: SCOPES };
    const [one, other] = [await service.key(account), await service.key(account)];
    const reset = Math.floor(clock.nowMs() / 1000) + MINUTE;
    const first = await list(one);
    expect([first.status, trio(first)]).toEqual([200, { limit: 2, remaining: 1, reset }]);
    clock.advanceSeconds(10);
    const second = await list(other);
    expect([second.status, trio(second)]).toEqual([200, { limit: 2, remaining: 0, reset }]);
    const third = await list(one);
    expect(trio(third)).toEqual({ limit: 2, remaining: 0, reset });
    expect(third.headers.get('retry-after')).toBe(String(MINUTE - 10));
    expect(third.headers.get('cache-control')).toBe('no-store');
    expect(await errorOf(third)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect((await list(key)).status).toBe(200);
    clock.set(new Date(reset * 1000 - 1).toISOString());
    expect((await list(one)).headers.get('retry-after')).toBe('1');
    clock.set(new Date(reset * 1000).toISOString());
    expect(trio(await list(one))).toEqual({ limit: 2, remaining: 1, reset: reset + MINUTE });
  });

  it('does not affect other routes; the plan counts its refused requests, which cause no ban', async () => {
    const before = trio(await service.request('/v1/pets', { key }));
    for (let n = 0; n < 5; n += 1) await list();
    const after = trio(await service.request('/v1/pets', { key }));
    expect(after).toEqual({ ...before, remaining: Number(before.remaining) - 6 });
    expect((await create('Unthrottled')).status).toBe(201);
  });

  it('shows the plan if that has fewer requests left', async () => {
    const narrow = await service.key({ scopes: SCOPES, plan: 'enterprise', perMinute: 2, perDay: 100 });
    await service.request('/v1/pets', { key: narrow });
    expect(trio(await list(narrow))).toMatchObject({ limit: 2, remaining: 0 });
    expect(await errorOf(await list(narrow))).toMatchObject({ status: 429 });
  });
});

describe('the document', () => {
  interface Operation {
    readonly operationId: string;
    readonly security: unknown[];
    readonly responses: Record<string, unknown>;
    readonly parameters?: { readonly name?: string; readonly $ref?: string }[];
    readonly [extension: `x-${string}`]: unknown;
  }

  it('has the operations with their stability', async () => {
    const document = (await (await service.request('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const { post, get } = document.paths['/reports'] ?? {};
    expect(post).toMatchObject({ operationId: 'createReport', 'x-stability': 'experimental' });
    expect(post?.security.length).toBeGreaterThan(0);
    expect(Object.keys(post?.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '409', '413', '415', '429', '500']),
    );
    expect(get).toMatchObject({ operationId: 'listReports', 'x-stability': 'beta' });
    expect(get?.parameters?.map(({ name }) => name)).toEqual(['limit', 'order']);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/pets', '/pets/{petId}']));
  });
});
