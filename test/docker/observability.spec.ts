import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { describeWith } from '../support/describe-with.js';
import { ask } from '../support/http.js';
import { freePort } from '../support/servers/free-port.js';
import { RedisServer } from '../support/servers/redis-server.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';
import { HOME } from './image.js';

const OBSERVABILITY = join(HOME, 'docker/observability');
const textOf = (name: string) => readFileSync(join(OBSERVABILITY, name), 'utf8');
const run = promisify(execFile);

const { panels } = JSON.parse(textOf('dashboard.json')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));

const folder = shareFolder();
let redis: RedisServer;
let service: TestApp;
let prometheus: ChildProcess;
let port: number;

interface Answer {
  readonly data?: { readonly result: readonly unknown[] };
}

async function resultsOf(query: string): Promise<readonly unknown[]> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
  return ((await response.json()) as Answer).data?.result ?? [];
}

describeWith('prometheus', '--version')('the configuration of Prometheus and Grafana', () => {
  beforeAll(async () => {
    redis = await RedisServer.start();
    service = await startApp({ env: redis.env });
    port = await freePort();
    writeFileSync(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '500ms', scrape_timeout: '500ms' },
        scrape_configs: [{ job_name: 'petstore', static_configs: [{ targets: [`127.0.0.1:${service.port}`] }] }],
      }),
    );
    const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    prometheus = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    const key = await service.key({ plan: 'business' });
    const send = async () => {
      for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets/nothing']) await ask(service.port, { path, key });
    };
    await until(async () => {
      await send();
      return (await resultsOf('rate(petstore_cache_reads_total[3s])').catch(() => [])).length > 0;
    });
    await send();
  });

  afterAll(async () => {
    prometheus.kill('SIGKILL');
    await once(prometheus, 'exit');
    await service.stop();
    await redis.stop();
  });

  it('has valid rules, whose alerts fire when they should', async () => {
    const { stdout } = await run('promtool', ['check', 'config', join(OBSERVABILITY, 'prometheus.yml')]);
    expect(stdout).toContain('SUCCESS: 32 rules found');
    expect((await run('promtool', ['test', 'rules', join(OBSERVABILITY, 'rules.test.yml')])).stdout).toContain(
      'SUCCESS',
    );
  });

  it('has a valid way to find the pods in Kubernetes', async () => {
    const file = join(folder, 'prometheus-kubernetes.yml');
    // Debian's Prometheus cannot discover pods.
    const discovery = /kubernetes_sd_configs:\n +- role: pod/;
    const text = textOf('prometheus-kubernetes.yml');
    expect(text).toMatch(discovery);
    writeFileSync(file, text.replace(discovery, 'static_configs: []'));
    expect((await run('promtool', ['check', 'config', file])).stdout).toContain('SUCCESS');
  });

  it('finds nothing to improve in the metrics of the service', async () => {
    const metrics = await (await ask(service.port, { path: '/metrics' })).text();
    const check = run('promtool', ['check', 'metrics']);
    check.child.stdin?.end(metrics);
    expect(await check).toEqual({ stdout: '', stderr: '' });
  });

  it('names only metrics that the service has', async () => {
    const metrics = await (await ask(service.port, { path: '/metrics' })).text();
    const used = `${textOf('rules.yml')}${queries.map(([, expr]) => expr).join('\n')}`;
    const names = new Set(used.match(/\b(?:http_server|petstore|db_client|nodejs|process)_[a-z_]+\b/g));
    expect(names.size).toBeGreaterThan(12);
    // Those of the disk are only on SQLite, that of the clock of the database only on PostgreSQL.
    const known = (name: string) =>
      /^petstore_d(isk|atabase)_/.test(name) || new RegExp(`^${name}[{ ]`, 'm').test(metrics);
    expect([...names].filter((name) => !known(name))).toEqual([]);
  });

  it.each(queries)('has data for the panel %s: %s', async (_, query) => {
    const results = () => resultsOf(query.replaceAll('$__rate_interval', '5s'));
    await until(async () => (await results()).length > 0);
    expect(await results()).toContainEqual(expect.objectContaining({ metric: expect.anything() }));
  });
});
