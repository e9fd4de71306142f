import { METHODS } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Registry } from '../../src/index.js';
import { PlanThrottlerGuard } from '../../src/rate-limit/plan-throttler.guard.js';
import { FakeClock } from '../support/app.js';
import { ask, concurrently } from '../support/http.js';
import { freshMetrics } from '../support/metrics.js';
import { service, sharePreparedApp } from '../support/folders.js';

const PATHS = ['/v1/pets', '/v1/pets/7', '/v1/keys', '/docs', '/metrics', '/health/live'];
/** CONNECT is no request as the others are. */
const SENT_METHODS = METHODS.filter((method) => method !== 'CONNECT');
/** Each method once for each path, and once for one below it that does not exist. */
const REQUESTS = 2 * PATHS.length * SENT_METHODS.length;

// On the clock of the system, a minute might end between requests, and give them another status. Few are admitted, so that
// all statuses come at once.
sharePreparedApp({ clock: new FakeClock(), env: { ANONYMOUS_PER_MINUTE: '100' } });
afterEach(() => void jest.restoreAllMocks());

/**
 * The series of the registry, as `/metrics` returns what was rendered a moment ago; without those of statements and of
 * Node.js, which do not depend on clients.
 */
const seriesOf = async () =>
  (await service.app.get(Registry).metrics())
    .split('\n')
    .filter((line) => line !== '' && !/^(?:#|db_client_operation|nodejs_)/.test(line))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));

const valuesOf = (lines: readonly string[], label: string) =>
  [...new Set(lines.flatMap((line) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? []))].toSorted();

const read = async () => (await service.request('/metrics')).text();

/** Requests without a key, each by another method or for another path than the one before. */
async function sendOddRequests(seed: string): Promise<void> {
  const tasks = Array.from({ length: REQUESTS }, (_, n) => {
    const method = SENT_METHODS[n % SENT_METHODS.length];
    const round = Math.floor(n / SENT_METHODS.length);
    const path = PATHS[round % PATHS.length] ?? '/';
    const isKnown = Math.floor(round / PATHS.length) % 2 === 0;
    return () => ask(service.port, { method: method ?? 'GET', path: isKnown ? path : `${path}/${seed}-${n}` });
  });
  await concurrently(tasks, 20);
}

describe('the text of metrics', () => {
  it('is rendered once a second, whoever reads it, and leaves out what cannot be read', async () => {
    let renderings = 0;
    const collect = () => {
      renderings += 1;
      throw new Error('The folder is away.');
    };
    const registry = service.app.get(Registry);
    registry.registerMetric(new Gauge({ name: 'broken_gauge', help: 'Fails.', registers: [], collect }));
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const text = await freshMetrics(read);
    expect(text).not.toContain('broken_gauge');
    expect(text).toContain('petstore_build_info{');
    const [before, beginMs] = [renderings, performance.now()];
    await Promise.all(Array.from({ length: 50 }, read));
    const seconds = (performance.now() - beginMs) / 1_000;
    expect(renderings - before).toBeLessThanOrEqual(1 + seconds);
    expect(warn.mock.calls).toMatchObject([[{ metric: 'broken_gauge', error: expect.stringContaining('away') }]]);
    registry.removeSingleMetric('broken_gauge');
  });
});

describe('the labels of the metrics', () => {
  it('are bounded, whatever methods and paths clients send', async () => {
    await sendOddRequests('first');
    const series = await seriesOf();
    expect(valuesOf(series, 'http_request_method')).toEqual(['GET', 'HEAD', '_OTHER']);
    expect(valuesOf(series, 'http_route').filter((route) => !route.startsWith('/'))).toEqual(['unmatched']);
    expect(series.join('\n')).not.toContain('first');
    // Without a key, a client can only make series of what is public.
    expect(valuesOf(series, 'http_route').filter((route) => route.startsWith('/v1'))).toEqual([]);
    expect(series.length).toBeLessThan(500);
    await sendOddRequests('second');
    expect(await seriesOf()).toEqual(series);
  });

  it('tell what each operation returned to callers, and that it failed', async () => {
    const key = await service.key();
    for (const path of ['/v1/pets', '/v1/pets?limit=0']) await service.request(path, { key });
    await service.request('/v1/pets', { key, method: 'DELETE' });
    jest.spyOn(service.app.get(PlanThrottlerGuard), 'admitAddress').mockRejectedValueOnce(new Error('on purpose'));
    await service.request('/v1/pets');
    const counted = (await seriesOf()).filter((line) => line.includes('_count{') && line.includes('/v1/'));
    expect(valuesOf(counted, 'http_response_status_code')).toEqual(['200', '400', '500']);
    expect(valuesOf(counted, 'http_request_method')).toEqual(['GET']);
  });

  it('belong to metrics whose names match their types', async () => {
    const types = (await (await service.request('/metrics')).text()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
    const wrong = [...types].filter(([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'));
    expect(wrong.map(([line]) => line)).toEqual([]);
  });
});
