import { METHODS } from 'node:http';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Counter, Gauge, register } from '@prometheus-io/client';
import { Registry } from '../../src/index.js';
import { KeyChangesPoller } from '../../src/auth/authentication/key-changes.poller.js';
import { AdmissionObserver } from '../../src/rate-limit/admission-observer.js';
import { PlanThrottlerGuard } from '../../src/rate-limit/plan-throttler.guard.js';
import { FakeClock, startApp } from '../support/app.js';
import { databaseOf, withoutDatabase } from '../support/databases.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { ask, concurrently, JSON_TYPE } from '../support/http.js';
import { captureOutput, type LogLine, linesOf } from '../support/main-program.js';
import { freshMetrics } from '../support/metrics.js';

const FAILURES = 50;
const LIST = { level: 'error', method: 'GET', route: '/v1/pets', status: 503, code: 'service_unavailable' };

const PATHS = ['/v1/pets', '/v1/pets/7', '/v1/keys', '/docs', '/metrics', '/health/live'];
/** CONNECT is no request as the others are. */
const SENT_METHODS = METHODS.filter((method) => method !== 'CONNECT');
/** Each method once for each path, and once for one below it that does not exist. */
const REQUESTS = 2 * PATHS.length * SENT_METHODS.length;

// On the clock of the system, a minute might end between requests, and give them another status. Few are admitted, so that
// all statuses come at once.
sharePreparedApp({ clock: new FakeClock(), env: { ANONYMOUS_PER_MINUTE: '100' } });
// Once a minute, it logs what other tests sent.
beforeAll(() => service.app.get(AdmissionObserver).stop());

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

it('the text of metrics is rendered once a second, whoever reads it, and leaves out what cannot be read', async () => {
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
    const limited = await service.key({ account: 'limited', plan: 'enterprise', perMinute: 1, perDay: 9 });
    for (const _ of ['admitted', 'limited']) await service.request('/v1/pets', { key: limited });
    jest.spyOn(service.app.get(PlanThrottlerGuard), 'admitAddress').mockRejectedValueOnce(new Error('on purpose'));
    await service.request('/v1/pets');
    const counted = (await seriesOf()).filter((line) => line.includes('_count{') && line.includes('/v1/'));
    expect(valuesOf(counted, 'http_response_status_code')).toEqual(['200', '400', '429', '500']);
    expect(valuesOf(counted, 'http_request_method')).toEqual(['GET']);
  });

  it('belong to metrics whose names match their types', async () => {
    const types = (await (await service.request('/metrics')).text()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
    const wrong = [...types].filter(([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'));
    expect(wrong.map(([line]) => line)).toEqual([]);
  });
});

describe('the metrics of a service', () => {
  it('are missed at the start if they are in another registry', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    new Counter({ name: 'stray_total', help: 'Nobody reads it.' }).inc();
    const own = await startApp();
    register.clear();
    await own.stop();
    const lost = { message: expect.stringContaining('registers'), metrics: ['stray_total'] };
    expect(warn.mock.calls).toContainEqual([lost]);
  });

  it('tell what is in use and waited for, and how often the cache had the response', async () => {
    const own = await startApp();
    const key = await own.key();
    for (let n = 0; n < 3; n += 1) await ask(own.port, { path: '/v1/pets', key });
    const text = await (await ask(own.port, { path: '/metrics' })).text();
    await own.stop();
    expect(text).toMatch(/^db_client_connection_pending_requests 0$/m);
    const valueOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    const memory = valueOf('process_resident_memory_bytes') / valueOf('petstore_memory_limit_bytes');
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThan(1);
    expect(text).toMatch(/^petstore_log_lines_dropped_total 0$/m);
    expect(text).toMatch(
      /^db_client_operation_duration_seconds_count\{db_operation_name="SELECT",db_collection_name="pets"\} \d+$/m,
    );
    expect(text).toMatch(/^petstore_write_lock_seconds_count\{phase="held"\} \d+$/m);
    expect(text).toMatch(/^petstore_cache_reads_total\{result="hit"\} 2\n.*="miss"\} 1$/m);
  });

  it('name the busiest accounts if they are asked to', async () => {
    const own = await startApp({ env: { METRICS_ACCOUNTS: '1' } });
    const busy = await own.key({ account: 'busy', plan: 'enterprise', perMinute: 2, perDay: 10 });
    for (let n = 0; n < 3; n += 1) await ask(own.port, { path: '/v1/pets', key: busy });
    await ask(own.port, { path: '/v1/pets', key: await own.key({ account: 'calm' }) });
    const text = await (await ask(own.port, { path: '/metrics' })).text();
    await own.stop();
    expect(text.match(/^petstore_account_requests_total.*$/gm)).toEqual([
      'petstore_account_requests_total{account="busy",outcome="admitted"} 2',
      'petstore_account_requests_total{account="busy",outcome="limited"} 1',
    ]);
  });
});

describe('the log of a service', () => {
  it('has a line for each request if it is asked to, with the trace that the client began', async () => {
    const output = captureOutput();
    const own = await startApp({ env: { ACCESS_LOG: 'all', LOG_LEVEL: 'info' } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'X-Request-Id': 'traced-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const response = await ask(own.port, { path: '/v1/pets/9', headers });
    const body = await response.text();
    await own.stop();
    const request = { method: 'GET', route: '/v1/pets/:petId', status: 401, bytes: body.length };
    const line = { level: 'info', message: 'request', ...request, address: '127.0.0.1', traceId };
    expect(linesOf(output(), '"traced-1"')).toMatchObject([line]);
  });

  it('names banned keys at once, and refused accounts and networks with their counts', async () => {
    const own = await startApp({ clock: new FakeClock() });
    const observer = own.app.get(AdmissionObserver);
    await observer.stop();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const key = await own.key({ account: 'hammer', plan: 'enterprise', perMinute: 2, perDay: 1_000 });
    for (let n = 0; n < 10; n += 1) await ask(own.port, { path: '/v1/pets', key });
    for (let n = 0; n < 100; n += 1) await ask(own.port, { path: '/v1/pets' });
    const account = { accountId: expect.any(Number), account: 'hammer', plan: 'enterprise', keyId: expect.any(String) };
    expect(warn.mock.calls).toEqual([[{ message: 'API key banned', ...account, until: expect.any(String) }]]);
    warn.mockClear();
    await observer.run();
    expect(warn.mock.calls).toEqual([
      [{ message: 'account refused', ...account, limited: 1, banned: 7 }],
      [{ message: 'many requests without a valid key', network: '127.0.0.0/24', count: 100 }],
    ]);
    warn.mockClear();
    await observer.run();
    expect(warn.mock.calls).toEqual([]);
    await own.stop();
  });
});

it('a logged failure has the stack, the causes and the inner errors of an error in any argument', async () => {
  const output = captureOutput();
  const own = await startApp({ env: { LOG_LEVEL: 'info' } });
  const error = new AggregateError([new RangeError('no tray')], 'no paper');
  // Causes can have each other.
  error.cause = Object.assign(new Error('no lorry'), { cause: error });
  const logger = new Logger('Printers');
  logger.error(error);
  logger.error('jammed', error);
  logger.warn('jammed', { tray: 1 }, error);
  logger.error({ message: 'jammed', tray: 1, failure: error });
  Logger.error('jammed', error);
  await own.stop();
  const text = expect.stringMatching(
    /^AggregateError: no paper\n +at [^]*\nbecause of RangeError: no tray\n +at [^]*\nbecause of Error: no lorry\n +at /,
  );
  const line = { level: 'error', time: expect.any(String), message: 'jammed', context: 'Printers' };
  expect(linesOf(output(), 'no paper')).toEqual([
    { ...line, message: 'no paper', error: text },
    { ...line, error: text },
    { ...line, level: 'warn', error: text, details: [{ tray: 1 }] },
    { ...line, tray: 1, failure: text },
    { ...line, context: undefined, error: text },
  ]);
});

describe('failed requests', () => {
  let lines: LogLine[];

  /** The database goes away, many requests fail, it comes back, and the service stops. */
  beforeAll(async () => {
    const output = captureOutput();
    const own = await startApp({ env: { LOG_LEVEL: 'info' } });
    const key = await own.key();
    // A later poll would forget the new key, which then could not be read.
    await own.app.get(KeyChangesPoller).poll();
    await own.request('/v1/pets', { key });
    await withoutDatabase(databaseOf(own.folder), async () => {
      for (let n = 0; n < FAILURES; n += 1) await own.request('/v1/pets?after=1', { key });
      const headers = { ...JSON_TYPE, 'X-Request-Id': 'create-1' };
      await own.request('/v1/pets', { key, method: 'POST', headers, body: '{"name":"x","categoryId":1}' });
    });
    await own.stop();
    lines = linesOf(output(), '"Errors"');
  });

  it('are logged as one line for the first of each kind, and one with the count of the others', () => {
    const caller = {
      durationMs: expect.any(Number),
      keyId: expect.stringMatching(/^key_/),
      accountId: expect.any(Number),
    };
    expect(lines).toMatchObject([
      { message: 'request failed', ...LIST, ...caller },
      { message: 'request failed', ...LIST, ...caller, method: 'POST', requestId: 'create-1' },
      { message: 'more requests failed in the same way', ...LIST, count: FAILURES - 1 },
    ]);
  });

  it('are logged with the reason but no stack if the database is unavailable', () => {
    expect(lines[0]?.['error']).toMatch(/\nbecause of .*petstore.sqlite is not the file that was opened/);
    expect(lines[0]?.['error']).not.toMatch(/\n\s+at /);
  });
});
