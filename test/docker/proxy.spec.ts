import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/describe-with.js';
import { errorOf } from '../support/expectations.js';
import { OPEN_TO_ANYBODY } from '../support/fleet.js';
import { Folders } from '../support/folders.js';
import { freePort } from '../support/servers/free-port.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { Traffic } from '../support/traffic.js';
import { HOME } from './image.js';

const PET = '{"name":"x","categoryId":1}';
/** Maximum time for the proxy to detect that an instance changed state. */
const NOTICED_MS = 2_500;
/** Maximum time that a hanging instance delays a request: two checks of 1 s each, 1 s apart, plus a margin. */
const LOST_MS = 4_500;

const folders = new Folders();
const instances: ServiceProcess[] = [];
let port: number;
let proxy: ChildProcess;
let traffic: Traffic | undefined;

beforeAll(async () => {
  const env = { DATABASE_URL: 'sqlite::memory:', TRUST_PROXY: '127.0.0.1/32', ...OPEN_TO_ANYBODY };
  for (let n = 0; n < 2; n += 1) instances.push(await startProcess({ folder: folders.make(), env }));
  port = await freePort();
  const file = join(folders.make(), 'haproxy.cfg');
  writeFileSync(file, configuration());
  proxy = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' });
  await delay(NOTICED_MS);
});
afterEach(() => traffic?.stop());
afterAll(async () => {
  proxy.kill('SIGKILL');
  await Promise.all([once(proxy, 'exit'), ...instances.map((instance) => instance.stop('SIGKILL'))]);
  await folders.remove();
});

/** Returns the proxy's configuration, with addresses in place of the host name that only Docker resolves. */
function configuration(): string {
  const text = readFileSync(join(HOME, 'docker/haproxy.cfg'), 'utf8');
  const servers = instances.map((instance, n) => `  server instance${n} 127.0.0.1:${instance.port}`).join('\n');
  return text
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll('abns@instances', `abns@instances-${port}`)
    .replaceAll(/^ {2}server-template .*$/gm, servers);
}

/** Clients without a key. Their POST requests must not be retried. */
function callWithoutPause(): Traffic {
  return new Traffic(() => [port], {
    get: () => ({ path: '/v1/pets' }),
    post: () => ({ method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: PET }),
  });
}

describeWith('haproxy', '-v')('the proxy of compose.replicas.yaml', () => {
  it('sends requests to both instances, with the address of the client', async () => {
    const left: number[] = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.1']) {
      // Wait until the previous request releases its slot, so that the instances take turns.
      await delay(50);
      const response = await ask(port, { path: '/v1/pets', headers: { 'X-Forwarded-For': address } });
      left.push(Number(response.headers.get('x-ratelimit-remaining')));
    }
    // The proxy ignores the address that the client claims, and each instance counts separately.
    const most = Math.max(...left);
    expect(left.toSorted((a, b) => a - b)).toEqual([most - 1, most - 1, most, most]);
  });

  it('blocks the metrics in any spelling of the path', async () => {
    for (const path of ['/metrics', '/%6detrics', '/metrics?x']) {
      expect(await errorOf(await ask(port, { path }))).toMatchObject({ status: 404, code: 'route_not_found' });
    }
  });

  it('ends requests to an instance that hangs, and retries safe requests on the other one', async () => {
    const [, hanging] = instances;
    traffic = callWithoutPause();
    traffic.start(12);
    await delay(500);
    const fromMs = performance.now();
    hanging?.signal('SIGSTOP');
    await delay(2 * LOST_MS);
    const untilMs = performance.now();
    hanging?.signal('SIGCONT');
    await delay(NOTICED_MS);
    await traffic.stop();
    const during = traffic.since(fromMs - LOST_MS, untilMs);
    expect(during.length).toBeGreaterThan(100);
    expect(Math.max(...during.map(({ tookMs }) => tookMs))).toBeLessThan(LOST_MS);
    expect(during.filter(({ kind, status }) => kind === 'get' && status !== 401)).toEqual([]);
    const failed = during.filter(({ status }) => status !== 401);
    expect(failed.length).toBeGreaterThan(0);
    for (const each of failed)
      expect(each).toMatchObject({ kind: 'post', status: 503, code: 'service_unavailable', retryAfter: '1' });
    // The instance serves its share again afterwards.
    expect(traffic.since(untilMs + NOTICED_MS - 500).filter(({ status }) => status !== 401)).toEqual([]);
  });

  it('fails no request while an instance shuts down', async () => {
    traffic = callWithoutPause();
    traffic.start(12);
    await delay(500);
    const { code } = await (instances[1] as ServiceProcess).stop('SIGTERM');
    expect(code).toBe(0);
    await delay(NOTICED_MS);
    await traffic.stop();
    expect(traffic.seen.length).toBeGreaterThan(100);
    expect(traffic.seen.filter(({ status }) => status !== 401)).toEqual([]);
  });

  it('passes on the response of an instance that is not ready', async () => {
    instances[0]?.signal('SIGTERM');
    await delay(1_500);
    expect(await errorOf(await ask(port, { path: '/v1/pets' }))).toMatchObject({ code: 'missing_api_key' });
    await instances[0]?.ended;
  });

  it('returns its own errors in the format of the service', async () => {
    const response = await ask(port, { path: '/v1/pets' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });
});
