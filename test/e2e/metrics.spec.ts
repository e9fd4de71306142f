import { describe, expect, it, jest } from '@jest/globals';
import { VERSION } from '../../src/platform/config/env.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { ask } from '../support/http.js';
import { metricOf } from '../support/metrics.js';
import { until } from '../support/until.js';
import { FakeClock, startApp } from '../support/app.js';

const clock = new FakeClock();
shareApp({ clock, env: { REVISION: '0a1b2c3', MAX_CONNECTIONS: '77' } }, AMPLE);

/** @param labels all of them, in their order */
const valueOf = (name: string, labels = '') => metricOf(service, labels === '' ? name : `${name}{${labels}}`);

describe('metrics of the process', () => {
  it('tell which version runs, and of which commit', async () => {
    expect(await valueOf('petstore_build_info', `version="${VERSION}",revision="0a1b2c3"`)).toBe(1);
  });

  it('tell the memory of the container, if the machine has more', async () => {
    const limit = jest.spyOn(process, 'constrainedMemory').mockReturnValue(1_048_576);
    const own = await startApp();
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
