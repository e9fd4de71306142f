import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import { Registry } from '@prometheus-io/client';
import { Public } from '../auth/access.decorators.js';
import { Deprecated } from '../lifecycle/deprecation.interceptor.js';
import { ConfigModule } from '../platform/config/config.module.js';
import { Env } from '../platform/config/env.js';
import { ApiExceptionFilter } from '../http/errors/api-exception.filter.js';
import { CounterStore, rateLimitKey } from './counter-store.js';
import { MemoryCounterStore } from './memory/memory-counter-store.js';
import { AdmissionObserver } from './admission-observer.js';
import { KeyNetworks } from './history/key-networks.js';
import { UsageRecorder } from './history/usage-history.js';
import { PlanThrottlerGuard, ROUTE_THROTTLER } from './plan-throttler.guard.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { FakeClock } from '../testing/fake-clock.js';
import { callerOf } from '../../test/support/callers.js';
import { addHandlers } from '../../test/support/handlers.js';

const clock = new FakeClock();
const PLAN = {
  outcome: 'admitted',
  limit: 60,
  windowSeconds: 60,
  remaining: 3,
  resetSeconds: 1_795_262_460,
  retryAfterSeconds: 0,
} as const;

const DEPRECATION = {
  since: '2026-11-21',
  sunset: '2030-12-05',
  successor: '/v1/pets',
  advice: '',
  documentation: '/',
};

@Controller()
class PlainController {}

addHandlers(PlainController, { half: [Get('half'), Throttle({ default: { limit: 1 } })] });

@Controller('reports')
@Throttle({ default: { limit: 5, ttl: 10_000 } })
class ReportsController {}

addHandlers(ReportsController, {
  list: [Get()],
  heavy: [Get('heavy'), Throttle({ default: { limit: 2, ttl: 2_000 } }), Deprecated(DEPRECATION)],
  public: [Get('public'), Public()],
  free: [Get('free'), SkipThrottle()],
  computed: [Get('computed'), Throttle({ default: { limit: () => 1, ttl: async () => 1_500 } })],
  everyHour: [Get('every-hour'), Throttle({ default: { limit: 1, ttl: 3_600_000 } })],
  hourly: [Get('hourly'), Throttle({ hourly: { limit: 1, ttl: 3_600_000 } })],
  blocked: [Get('blocked'), Throttle({ default: { limit: 1, ttl: 1_000, blockDuration: 60_000 } })],
});

@Module({
  imports: [ConfigModule.forRoot(new Env(), clock), ROUTE_THROTTLER],
  controllers: [PlainController, ReportsController],
  providers: [
    { provide: CounterStore, useFactory: () => new MemoryCounterStore(clock, new Env()) },
    { provide: APP_FILTER, useClass: ApiExceptionFilter },
    Registry,
    AdmissionObserver,
    { provide: UsageRecorder, useValue: {} },
    { provide: KeyNetworks, useValue: {} },
    { provide: APP_GUARD, useClass: PlanThrottlerGuard },
  ],
})
class TestModule {}

let app: NestFastifyApplication;

beforeAll(async () => {
  const testing = await Test.createTestingModule({ imports: [TestModule] }).compile();
  app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      const accountId = Number(request.headers['x-account'] ?? 0);
      if (accountId === 0) return;
      const limits = { perMinute: 60, perDay: 1_000 };
      request.caller = callerOf({ keyId: `key for ${request.id}`, accountId, plan: 'free', limits });
      reply.headers(rateLimitHeaders(PLAN));
    });
  await app.init();
});

// Ends all windows.
beforeEach(() => clock.advanceSeconds(7_200));
afterAll(() => app.close());

async function get(path: string, account = 1) {
  const response = await app.inject({ url: path, headers: account === 0 ? {} : { 'x-account': String(account) } });
  const { headers } = response;
  const trio = [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']].map(
    Number,
  );
  return { status: response.statusCode, trio, headers, body: response.body };
}

const planTrio = [60, 3, 1_795_262_460];
const now = () => Math.floor(clock.ms / 1000);

it('a route with @SkipThrottle in a class with @Throttle has only the limits of the plan', async () => {
  for (let index = 0; index < 20; index++)
    expect(await get('/reports/free')).toMatchObject({ status: 200, trio: planTrio });
});

describe('a route with @Throttle', () => {
  it('shows the window with fewer requests left, and refuses beyond its limit', async () => {
    const trios = [];
    for (let index = 0; index < 5; index++) trios.push((await get('/reports')).trio);
    const reset = now() + 10;
    expect(trios).toEqual([planTrio, planTrio, [5, 2, reset], [5, 1, reset], [5, 0, reset]]);
    const refused = await get('/reports');
    expect(refused).toMatchObject({
      status: 429,
      trio: [5, 0, reset],
      headers: { 'retry-after': '10', 'cache-control': 'no-store', ratelimit: '"operation";r=0;t=10' },
    });
    expect(JSON.parse(refused.body)).toEqual({
      code: 'rate_limit_exceeded',
      message: 'The limit of 5 requests per 10 seconds for this operation is exhausted. Retry after 10 seconds.',
      status: 429,
    });
  });

  it('counts per account, whatever its key, and route, and admits again at the reset', async () => {
    for (let index = 0; index < 6; index++) await get('/reports');
    expect((await get('/reports', 2)).status).toBe(200);
    expect((await get('/reports/heavy')).status).toBe(200);
    clock.ms = (now() + 10) * 1000 - 1;
    expect((await get('/reports')).status).toBe(429);
    clock.ms += 1;
    expect((await get('/reports')).status).toBe(200);
  });

  it('announces a deprecation on admitted responses only', async () => {
    expect(await get('/reports/heavy')).toMatchObject({ status: 200, headers: { deprecation: '@1795219200' } });
    await get('/reports/heavy');
    const refused = await get('/reports/heavy');
    expect(refused.status).toBe(429);
    expect(refused.headers).not.toHaveProperty('deprecation');
  });

  it('accepts functions, and rounds windows up to whole seconds', async () => {
    expect(await get('/reports/computed')).toMatchObject({ status: 200, trio: [1, 0, now() + 2] });
    expect(await get('/reports/computed')).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
  });

  it('names its window in a 429', async () => {
    await get('/reports/every-hour');
    expect((await get('/reports/every-hour')).body).toContain('1 request per hour for this operation is exhausted.');
  });

  it('counts by address if it is public', async () => {
    for (let index = 0; index < 5; index++) expect((await get('/reports/public', 0)).status).toBe(200);
    expect((await get('/reports/public', 0)).status).toBe(429);
  });

  it.each([
    ['has another name', '/reports/hourly'],
    ['blocks longer than its window', '/reports/blocked'],
    ['lacks its window', '/half'],
  ])('refuses every request if its limit cannot be enforced: it %s', async (_, path) => {
    expect((await get(path)).status).toBe(500);
  });
});

it.each([
  ['192.0.2.7:50123', '192.0.2.7'],
  ['[2001:db8::1]:50123', '2001:db8::/64'],
  ['[2001:db8::1]', '2001:db8::/64'],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::1'],
  ['', 'unknown'],
  ['not an address', 'unknown'],
  ['192.0.2.7, 10.0.0.1', 'unknown'],
  ['999.0.2.7', 'unknown'],
  ['x'.repeat(100_000), 'unknown'],
])('the rate-limit key of the address %.40s is %s', (ip, counted) => {
  expect(rateLimitKey(ip)).toBe(counted);
});
