import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { makeCertificate } from '../support/certificate.js';
import { describeWith } from '../support/describe-with.js';
import { errorOf } from '../support/expectations.js';
import { OPEN_TO_ANYBODY } from '../support/fleet.js';
import { freePort } from '../support/servers/free-port.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { shareFolder } from '../support/share-folder.js';
import { Traffic } from '../support/traffic.js';
import { until } from '../support/until.js';
import { HOME } from './image.js';

const PET = '{"name":"x","categoryId":1}';
const folder = shareFolder();
const instances: ServiceProcess[] = [];
const requestLog: string[] = [];
const proxies: ChildProcess[] = [];
let port: number;
let securePort: number;
let metricsPort: number;
/** Of the proxy that has a certificate. */
let plainPort: number;
const traffic: Traffic[] = [];

beforeAll(async () => {
  const settings = { DATABASE_URL: 'sqlite::memory:', TRUST_PROXY: '127.0.0.1/32', ...OPEN_TO_ANYBODY };
  for (let n = 0; n < 2; n += 1) instances.push(await startProcess({ folder, env: settings }));
  [port, securePort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  startProxy(port, metricsPort, {});
  const secure = { TLS_CERTIFICATE: makeCertificate(folder), TLS_PORT: String(securePort) };
  startProxy((plainPort = await freePort()), await freePort(), secure);
  for (const instance of [0, 1]) await until(() => isUp(instance));
  await until(() => ask(plainPort, { path: '/' }).then(Boolean, () => false));
});
afterEach(async () => {
  for (const clients of traffic.splice(0)) await clients.stop();
});
afterAll(async () => {
  const ended = proxies.map((proxy) => proxy.kill('SIGKILL') && once(proxy, 'exit'));
  await Promise.all([...ended, ...instances.map((instance) => instance.stop('SIGKILL'))]);
});

function startProxy(publicPort: number, ownPort: number, env: Readonly<Record<string, string>>): void {
  const file = join(folder, `haproxy-${publicPort}.cfg`);
  writeFileSync(file, configuration(publicPort, ownPort));
  const proxy = spawn('haproxy', ['-f', file, '-db'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  proxy.stdout.setEncoding('utf8').on('data', (text: string) => requestLog.push(...text.split('\n')));
  proxies.push(proxy);
}

/** Returns the proxy's configuration, with addresses in place of the host name that only Docker resolves. */
function configuration(publicPort: number, ownPort: number): string {
  const text = readFileSync(join(HOME, 'docker/haproxy.cfg'), 'utf8');
  const servers = instances.map((instance, n) => `  server instance${n} 127.0.0.1:${instance.port}`).join('\n');
  return text
    .replace('bind :8080', `bind 127.0.0.1:${publicPort}`)
    .replace('bind :8443', `bind 127.0.0.1:${securePort}`)
    .replace('bind :8404', `bind 127.0.0.1:${ownPort}`)
    .replaceAll('abns@instances', `abns@instances-${publicPort}`)
    .replaceAll(/^ {2}server-template .*$/gm, servers);
}

async function metrics(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
  return (await response?.text()) ?? '';
}

async function isInState(state: string, instance: number): Promise<boolean> {
  const name = `haproxy_server_status{proxy="petstore",server="instance${instance}",state="${state}"}`;
  return (await metrics()).includes(`${name} 1`);
}

/** Whether the proxy sends requests to an instance. */
const isUp = (instance: number) => isInState('UP', instance);

async function slowRequests(): Promise<number> {
  return Number(/^haproxy_sticktable_used\{name="slow",type="string"\} (\d+)$/m.exec(await metrics())?.[1]);
}

async function lineOf(requestId: string): Promise<unknown> {
  const isHere = (line: string) => line.includes(requestId);
  await until(() => requestLog.some(isHere));
  return JSON.parse(requestLog.find(isHere) ?? '');
}

/** Starts clients without a key, which send requests of one kind. POST requests must not be retried. */
async function callWithoutPause(kind: 'get' | 'post', workers: number): Promise<Traffic> {
  const requests = {
    get: { path: '/v1/pets' },
    post: { method: 'POST', path: '/v1/pets', headers: JSON_TYPE, body: PET },
  };
  const clients = new Traffic(() => [port], { [kind]: () => requests[kind] });
  traffic.push(clients);
  clients.start(workers);
  await until(() => clients.seen.length > 100);
  return clients;
}

describeWith('haproxy', '-v')('the proxy of compose.yaml', () => {
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

  it('logs each request as JSON, with the instance and the request id of the response', async () => {
    const response = await ask(port, { path: '/v1/pets?name=%22secret' });
    const id = response.headers.get('x-request-id') ?? '';
    expect(await lineOf(id)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      client: '127.0.0.1',
      method: 'GET',
      path: '/v1/pets',
      status: 401,
      durationMs: expect.any(Number),
      bytes: expect.any(Number),
      instance: expect.stringMatching(/^instance[01]$/),
      requestId: id,
      end: '--',
    });
    expect(response.headers.has('x-instance')).toBe(false);
  });

  it('logs the status and the whole path of a long request', async () => {
    const path = `/v1/${'x'.repeat(4_000)}`;
    const response = await ask(port, { path });
    expect(await lineOf(response.headers.get('x-request-id') ?? 'none')).toMatchObject({ path, status: 401 });
  });

  it('passes on the request id of a client, and gives one to its own responses', async () => {
    const given = await ask(port, { path: '/v1/pets', headers: { 'X-Request-Id': 'order-66' } });
    expect(given.headers.get('x-request-id')).toBe('order-66');
    const own = await ask(port, { path: '/metrics' });
    expect(await lineOf(own.headers.get('x-request-id') ?? 'none')).toMatchObject({ path: '/metrics', status: 404 });
  });

  it('serves HTTP/2 over TLS if it has a certificate, and leads plain HTTP there', async () => {
    const session = connect(`https://127.0.0.1:${securePort}`, { rejectUnauthorized: false });
    const [headers] = (await once(session.request({ ':path': '/v1/pets' }), 'response')) as [IncomingHttpHeaders];
    session.close();
    expect([session.alpnProtocol, headers[':status']]).toEqual(['h2', 401]);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const plain = await ask(plainPort, { path: '/v1/pets?limit=1&status=sold' });
    expect([plain.status, plain.headers.get('location')]).toEqual([
      308,
      `https://127.0.0.1:${securePort}/v1/pets?limit=1&status=sold`,
    ]);
    expect(plain.headers.has('strict-transport-security')).toBe(false);
    expect((await ask(port, { path: '/v1/pets' })).headers.has('strict-transport-security')).toBe(false);
  });

  it('ends requests to an instance that hangs, counts them as slow, and retries safe ones on the other', async () => {
    const [, hanging] = instances;
    const slowBefore = await slowRequests();
    const reading = await callWithoutPause('get', 4);
    // Half of all requests are at each instance, so that some of these are at the one that hangs.
    const writing = await callWithoutPause('post', 12);
    await until(() => isUp(1));
    hanging?.signal('SIGSTOP');
    await until(() => isInState('DOWN', 1));
    // All requests end while the instance still hangs.
    await Promise.all([reading.stop(), writing.stop()]);
    hanging?.signal('SIGCONT');
    expect(reading.seen.filter(({ status }) => status !== 401)).toEqual([]);
    const failed = writing.seen.filter(({ status }) => status !== 401);
    expect(failed.length).toBeGreaterThan(0);
    for (const each of failed)
      expect(each).toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: '1' });
    expect((await slowRequests()) - slowBefore).toBeGreaterThanOrEqual(failed.length);
    await until(() => isUp(1));
  });

  it('has the metrics that the rules of the alerts name', async () => {
    const rules = readFileSync(join(HOME, 'docker/observability/rules.yml'), 'utf8');
    const names = new Set(rules.match(/haproxy_[a-z_]+\{[a-z]+="[a-z_]+"/g));
    expect(names.size).toBeGreaterThan(5);
    const exported = await metrics();
    expect([...names].filter((name) => !exported.includes(name))).toEqual([]);
  });

  it('fails no request while an instance shuts down', async () => {
    const clients = [await callWithoutPause('get', 6), await callWithoutPause('post', 6)];
    const { code } = await (instances[1] as ServiceProcess).stop('SIGTERM');
    expect(code).toBe(0);
    await until(async () => !(await isUp(1)));
    await Promise.all(clients.map((each) => each.stop()));
    expect(clients.flatMap(({ seen }) => seen).filter(({ status }) => status !== 401)).toEqual([]);
  });

  it('passes on the response of an instance that is not ready', async () => {
    instances[0]?.signal('SIGTERM');
    await until(async () => !(await isUp(0)));
    expect(await errorOf(await ask(port, { path: '/v1/pets' }))).toMatchObject({ code: 'missing_api_key' });
    await instances[0]?.ended;
  });

  it('returns its own errors in the format of the service', async () => {
    const response = await ask(port, { path: '/v1/pets' });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });
});
