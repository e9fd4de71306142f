import { METHODS } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from '../../src/index.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { ask, concurrently } from '../support/http.js';

const REQUESTS = 2_000;
const PATHS = [
  '/v1/pets',
  '/v1/pets/7',
  '/v1/categories',
  '/v1/store/orders',
  '/v1/keys',
  '/v1/usage',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/health/live',
];
/** CONNECT is no request as the others are. */
const SENT_METHODS = METHODS.filter((method) => method !== 'CONNECT');

let service: TestApp;

beforeAll(async () => {
  // On the clock of the system, a minute might end between requests, and give them another status.
  service = await startApp({ clock: new FakeClock() });
});
afterAll(() => service.stop());

/**
 * The series of the registry, as `/metrics` can return what was rendered a moment ago; without those of statements and of
 * Node.js, which do not depend on clients.
 */
const seriesOf = async () =>
  (await service.app.get(Registry).metrics())
    .split('\n')
    .filter((line) => line !== '' && !/^(?:#|db_client_operation|nodejs_)/.test(line))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));

const valuesOf = (lines: readonly string[], label: string) =>
  [...new Set(lines.flatMap((line) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? []))].toSorted();

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

describe('the labels of the metrics', () => {
  it('are bounded, whatever methods and paths clients send', async () => {
    await sendOddRequests('first');
    const series = await seriesOf();
    expect(valuesOf(series, 'http_request_method')).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'POST',
      'PUT',
      'TRACE',
      '_OTHER',
    ]);
    expect(valuesOf(series, 'http_route').filter((route) => !route.startsWith('/'))).toEqual(['unmatched']);
    expect(series.join('\n')).not.toContain('first');
    // Of a path, a client can only make series of the methods that it has, of OPTIONS and of all others together.
    const ofPets = series.filter((line) => line.includes('_count{') && line.includes('route="/v1/pets"'));
    expect(valuesOf(ofPets, 'http_request_method')).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST', '_OTHER']);

    expect(series.length).toBeLessThan(2_600);
    await sendOddRequests('second');
    expect(await seriesOf()).toEqual(series);
  });

  it('belong to metrics whose names match their types', async () => {
    const types = (await (await service.request('/metrics')).text()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
    const wrong = [...types].filter(([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'));
    expect(wrong.map(([line]) => line)).toEqual([]);
  });
});
