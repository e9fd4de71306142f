import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { VERSION } from '../../src/platform/config/env.js';
import { AdmissionObserver } from '../../src/rate-limit/admission-observer.js';
import { startApp } from '../support/app.js';
import { ask } from '../support/http.js';
import { captureOutput, linesOf } from '../support/main-program.js';

afterEach(() => void jest.restoreAllMocks());

describe('the log of a service', () => {
  it('has a line for each request if it is asked to, with the trace that the client began', async () => {
    const output = captureOutput();
    const service = await startApp({ env: { ACCESS_LOG: 'all', LOG_LEVEL: 'info' } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'X-Request-Id': 'traced-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const response = await ask(service.port, { path: '/v1/pets/9', headers });
    const body = await response.text();
    await service.stop();
    expect(linesOf(output(), '"traced-1"')).toMatchObject([
      {
        level: 'info',
        message: 'request',
        method: 'GET',
        route: '/v1/pets/:petId',
        status: 401,
        bytes: body.length,
        traceId,
      },
    ]);
  });

  it('names banned keys at once, and refused accounts and networks with their counts', async () => {
    const service = await startApp();
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const key = await service.key({ account: 'hammer', plan: 'enterprise', perMinute: 2, perDay: 1_000 });
    for (let n = 0; n < 10; n += 1) await ask(service.port, { path: '/v1/pets', key });
    for (let n = 0; n < 100; n += 1) await ask(service.port, { path: '/v1/pets' });
    const account = { accountId: expect.any(Number), account: 'hammer', plan: 'enterprise', keyId: expect.any(String) };
    expect(warn.mock.calls).toEqual([[{ message: 'API key banned', ...account, until: expect.any(String) }]]);
    warn.mockClear();
    await service.app.get(AdmissionObserver).run();
    expect(warn.mock.calls).toEqual([
      [{ message: 'account refused', ...account, limited: 1, banned: 7 }],
      [{ message: 'many requests without a valid key', network: '127.0.0.0/24', count: 100 }],
    ]);
    warn.mockClear();
    await service.app.get(AdmissionObserver).run();
    expect(warn.mock.calls).toEqual([]);
    await service.stop();
  });
});

describe('a logged failure', () => {
  it('has the stack that was given', async () => {
    const output = captureOutput();
    const service = await startApp({ env: { LOG_LEVEL: 'info' } });
    new Logger('Printers').error('jammed', 'Error: jammed\n    at print');
    await service.stop();
    expect(linesOf(output(), '"Printers"')).toMatchObject([
      { level: 'error', message: 'jammed', context: 'Printers', stack: 'Error: jammed\n    at print' },
    ]);
  });
});

describe('the metrics of a service', () => {
  it('tell its version, what is in use and waited for, and how often the cache had the response', async () => {
    const service = await startApp();
    const key = await service.key();
    for (let n = 0; n < 3; n += 1) await ask(service.port, { path: '/v1/pets', key });
    const text = await (await ask(service.port, { path: '/metrics' })).text();
    await service.stop();
    expect(text).toContain(`petstore_build_info{version="${VERSION}",revision="unknown"} 1\n`);
    expect(text).toMatch(/^db_client_connections\{state="used"\} \d+$/m);
    expect(text).toMatch(/^db_client_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^db_client_connection_pending_requests 0$/m);
    expect(text).toMatch(/^http_server_active_requests 1$/m);
    expect(text).toMatch(/^petstore_open_connections [1-9]\d*$/m);
    expect(text).toMatch(/^petstore_log_lines_dropped_total 0$/m);
    expect(text).toMatch(
      /^db_client_operation_duration_seconds_count\{db_operation_name="SELECT",db_collection_name="pets"\} \d+$/m,
    );
    expect(text).toMatch(/^petstore_write_lock_seconds_count\{phase="held"\} \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_delay_seconds_bucket\{le="2\.5"\} \d+$/m);
    expect(text).toMatch(/^petstore_cache_reads_total\{result="hit"\} 2$/m);
  });

  it('name the busiest accounts if they are asked to', async () => {
    const service = await startApp({ env: { METRICS_ACCOUNTS: '1' } });
    const [busy, calm] = [
      await service.key({ account: 'busy', plan: 'enterprise', perMinute: 2, perDay: 10 }),
      await service.key({ account: 'calm' }),
    ];
    for (let n = 0; n < 3; n += 1) await ask(service.port, { path: '/v1/pets', key: busy });
    await ask(service.port, { path: '/v1/pets', key: calm });
    const text = await (await ask(service.port, { path: '/metrics' })).text();
    await service.stop();
    expect(text.match(/^petstore_account_requests_total.*$/gm)).toEqual([
      'petstore_account_requests_total{account="busy",outcome="admitted"} 2',
      'petstore_account_requests_total{account="busy",outcome="limited"} 1',
    ]);
  });
});
