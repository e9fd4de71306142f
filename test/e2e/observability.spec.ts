import { gunzipSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { VERSION } from '../../src/platform/config/env.js';
import { startApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { queryDatabase } from '../support/databases.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { ask } from '../support/http.js';
import { sendRaw } from '../support/raw.js';
import { captureOutput, linesOf } from '../support/main-program.js';
import { until } from '../support/until.js';
import { metricOf } from '../support/metrics.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const output = captureOutput();
let key: string;
let small: string;
let manager: string;

const env = { LOG_LEVEL: 'trace', REVISION: '0a1b2c3', MAX_CONNECTIONS: '77' };
sharePreparedApp({ env }, async () => {
  key = await service.key();
  small = await service.key({ plan: 'enterprise', perMinute: 2, perDay: 100 });
  manager = await service.key({ scopes: ['keys:manage', 'pets:read'] });
});

/** @param labels all of them, in their order */
const valueOf = (name: string, labels = '') => metricOf(service, labels === '' ? name : `${name}{${labels}}`);

describe('metrics of the process', () => {
  it('tell which version runs, and of which commit', async () => {
    expect(await valueOf('petstore_build_info', `version="${VERSION}",revision="0a1b2c3"`)).toBe(1);
  });

  it('tell the memory of the container, if the machine has more', async () => {
    const limit = jest.spyOn(process, 'constrainedMemory').mockReturnValue(1_048_576);
    const own = await startApp({ env });
    limit.mockRestore();
    const text = await (await ask(own.port, { path: '/metrics' })).text();
    await own.stop();
    expect(text).toMatch(/^petstore_memory_limit_bytes 1048576$/m);
  });

  it('tell how many connections are open, of how many, and how many requests are in progress on them', async () => {
    expect(await valueOf('petstore_max_connections')).toBe(77);
    const open = await valueOf('petstore_open_connections');
    const text = await (await ask(service.port, { path: '/metrics' })).text();
    expect(text).toMatch(/^http_server_active_requests 1$/m);
    for (let n = 0; n < 3; n += 1) await (await ask(service.port, { path: '/health/live' })).text();
    await until(async () => (await valueOf('petstore_open_connections')) <= open);
    expect(await valueOf('http_server_active_requests')).toBe(0);
  });

  it('tell how much of the disk is left', async () => {
    const available = await valueOf('petstore_disk_available_bytes');
    expect(available).toBeGreaterThan(0);
    expect(available).toBeLessThan(await valueOf('petstore_disk_size_bytes'));
  });

  it('tell how often background tasks run, and when they last succeeded', async () => {
    const labels = 'task="cancelling expired orders"';
    expect(await valueOf('petstore_background_interval_seconds', 'task="delivering events"')).toBe(1);
    const beforeSeconds = Date.now() / 1_000;
    await service.runTask('cancelling expired orders');
    const succeeded = await valueOf('petstore_background_last_success_timestamp_seconds', labels);
    expect(succeeded).toBeGreaterThanOrEqual(beforeSeconds);
    expect(succeeded).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  it('tell that the connection that writes is idle when nobody writes', async () => {
    await until(async () => (await valueOf('db_client_connections', 'state="used"')) === 0);
    expect(await valueOf('db_client_connections', 'state="idle"')).toBe(1);
  });
});

it('durations in metrics are in seconds: of requests and of the lock for writes', async () => {
  const request = 'http_request_method="POST",http_route="/v1/pets",http_response_status_code="201"';
  const phases = ['waited', 'held'].map((phase) => `phase="${phase}"`);
  const read = async () => [
    await valueOf('http_server_request_duration_seconds_sum', request),
    ...(await Promise.all(phases.map((phase) => valueOf('petstore_write_lock_seconds_sum', phase)))),
  ];
  await service.post('/v1/pets', key, { name: 'Ada', categoryId: 1 });
  const sinceMs = performance.now();
  const before = await read();
  await service.post('/v1/pets', key, { name: 'Bea', categoryId: 1 });
  const afterwards = await read();
  const elapsedSeconds = (performance.now() - sinceMs) / 1_000;
  for (const [index, after] of afterwards.entries()) {
    const seconds = after - Number(before[index]);
    expect(seconds).toBeGreaterThan(0);
    // Background tasks may have waited at the same time, and before.
    expect(seconds).toBeLessThan(100 * elapsedSeconds);
  }
});

const get = (path: string, as?: string, headers: Record<string, string> = {}) =>
  ask(service.port, { path, key: as, headers });

const decisions = async (plan: string, outcome: string) =>
  (await valueOf('petstore_admissions_total', `plan="${plan}",outcome="${outcome}"`)) || 0;

const outcomes = async () => ({
  admitted: await decisions('enterprise', 'admitted'),
  limited: await decisions('enterprise', 'limited'),
  banned: await decisions('enterprise', 'banned'),
  unauthenticated: await decisions('none', 'unauthenticated'),
});

const idOf = async (path: string, as: string | undefined, id: string) =>
  (await get(path, as, { 'X-Request-Id': id })).headers.get('x-request-id');

describe('X-Request-Id', () => {
  it.each(['abc', 'A-b_c.9', '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a', 'x'.repeat(64)])(
    'is returned as it was sent: %s',
    async (id) => {
      expect(await idOf('/v1/pets', key, id)).toBe(id);
    },
  );

  it.each(['', 'a b', 'x'.repeat(65), '"}{', 'a,b', '${jndi:ldap://x}', 'caf\u00e9'])(
    'is replaced if it is unsafe to log: %j',
    async (id) => {
      expect(await idOf('/v1/pets', key, id)).toMatch(UUID);
    },
  );

  it('is unique for each request without one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await get('/health/live')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it('is on errors too', async () => {
    for (const path of ['/v1/pets', '/nothing']) expect(await idOf(path, undefined, 'refused-1')).toBe('refused-1');
  });
});

it('health reports the service as live and ready', async () => {
  const [live, ready] = [await get('/health/live'), await get('/health/ready')];
  expect([live.status, await live.json()]).toEqual([200, { status: 'live', version: VERSION }]);
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'ready' })]);
});

describe('metrics', () => {
  it('have the decisions of admission by outcome and plan', async () => {
    const before = await outcomes();
    for (let n = 0; n < 6; n += 1) await get('/v1/pets', small);
    await get('/v1/pets');
    await get('/v1/usage', small);
    expect(await outcomes()).toEqual({
      admitted: before.admitted + 3,
      limited: before.limited + 1,
      banned: before.banned + 3,
      unauthenticated: before.unauthenticated + 1,
    });
  });

  it('have the delay of the event loop, in the text format of Prometheus', async () => {
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toMatch(/^nodejs_eventloop_delay_seconds_bucket\{le="2\.5"\} [0-9]+$/m);
  });
});

const scrape = (headers: Record<string, string> = {}, method = 'GET') =>
  ask(service.port, { method, path: '/metrics', headers });

describe('the text of metrics', () => {
  it('is compressed if the client accepts it, and never cached', async () => {
    const plain = await scrape();
    const gzip = await scrape({ 'Accept-Encoding': 'gzip' });
    expect([plain, gzip].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    for (const { headers } of [plain, gzip]) {
      expect([headers.get('vary'), headers.get('cache-control')]).toEqual(['Accept-Encoding', 'no-store']);
    }
    const body = Buffer.from(await gzip.arrayBuffer());
    expect(gunzipSync(body).toString()).toMatch(/^# HELP http_server_request_duration_seconds /m);
    expect(body.length).toBeLessThan((await plain.arrayBuffer()).byteLength / 2);
  });

  it('has the same headers for HEAD, without a body', async () => {
    const response = await scrape({ 'Accept-Encoding': 'gzip' }, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-encoding')).toBe('gzip');
  });
});

describe('the log', () => {
  it('has a line of JSON for a 500, with the X-Request-Id of the response and without the key', async () => {
    await queryDatabase(service.folder, 'ALTER TABLE pets RENAME TO lost');
    const path = '/v1/pets?after=12345';
    const headers = { 'X-Request-Id': 'broken-1', Cookie: `key=${key}`, Referer: `http://x/?key=${key}` };
    const response = await get(path, key, headers);
    await queryDatabase(service.folder, 'ALTER TABLE lost RENAME TO pets');
    expect(await errorOf(response)).toMatchObject({ status: 500, code: 'internal_error' });
    expect((await get(path, key)).status).toBe(200);
    await get(`/v1/pets?key=${key}`, key);
    await get(`/v1/pets/${key}`, key);
    await get('/v1/pets', `${key}x`);
    await until(() => output().includes('broken-1'));
    const failure = linesOf(output(), '"level":"error"');
    expect(failure).toHaveLength(1);
    expect(failure[0]).toMatchObject({
      requestId: 'broken-1',
      code: 'internal_error',
      time: expect.stringMatching(/^20.*Z$/),
      error: expect.stringMatching(/no such table|relation "pets" does not exist/),
    });
    expect(output()).not.toContain('psk_');
  });

  it('has one line for any number of requests that cannot be parsed', async () => {
    for (let n = 0; n < 3; n += 1) await sendRaw(service.port, 'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => output().includes('"Connections"'));
    expect(linesOf(output(), '"Connections"')).toMatchObject([
      { level: 'warn', message: 'refused connection', reason: 400, requestId: expect.stringMatching(UUID) },
    ]);
  });

  it('never has a new key or its hash, even if its creation fails', async () => {
    const made = (await (await service.post('/v1/keys', manager, {})).json()) as { id: string; key: string };
    expect((await service.post(`/v1/keys/${made.id}/rotate`, manager, {})).status).toBe(201);
    await queryDatabase(service.folder, 'ALTER TABLE api_keys RENAME TO lost');
    const failed = await service.post('/v1/keys', manager, {});
    await queryDatabase(service.folder, 'ALTER TABLE lost RENAME TO api_keys');
    expect(await errorOf(failed)).toMatchObject({ status: 500, code: 'internal_error' });
    expect(output()).not.toMatch(/psk_|[0-9a-f]{64}/);
  });
});
