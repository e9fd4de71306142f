import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { Env } from '../../src/platform/config/env.js';
import { loadEnv } from '../../src/platform/config/load-env.js';
import { HOME, page } from './pages.js';

const textOf = (path: string) => readFileSync(join(HOME, path), 'utf8');
const { version, engines } = JSON.parse(textOf('package.json')) as { version: string; engines: { node: string } };

describe('the version', () => {
  it('is the same in package.json, its lockfile and the changelog', () => {
    const { version: locked, packages } = JSON.parse(textOf('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const logged = page('CHANGELOG.md').lines.flatMap((line) => /^## \[(\d[^\]]*)\]/.exec(line)?.[1] ?? []);
    expect([locked, packages['']?.version, logged[0]]).toEqual([version, version, version]);
    expect(logged).toContain('1.0.0');
  });

  it('is that of the image, its deployment and the example of its health', () => {
    expect(textOf('docker/Dockerfile')).toContain(`image.version="${version}"`);
    expect(textOf('docker/kubernetes/kustomization.yaml')).toContain(`newTag: ${version}\n`);
    expect(textOf('docs/operating.md')).toContain(`{"status":"live","version":"${version}"}`);
  });

  it('is that of the file that teams install', () => {
    const names = textOf('docs/your-own-package.md').match(/petstore-service-[\w.-]+\.tgz/g);
    expect([...new Set(names)]).toEqual([`petstore-service-${version}.tgz`]);
  });

  it('is that of SECURITY.md, to the minor version', () => {
    const supported = page('SECURITY.md').table('Version', 'Supported');
    expect(supported.filter(([, answer]) => answer === 'yes')).toEqual([[version.replace(/\.\d+$/, ''), 'yes']]);
  });
});

describe('.nvmrc', () => {
  it('names a Node.js that package.json accepts', () => {
    expect(engines.node).toContain(`>=${textOf('.nvmrc').trim()}.`);
  });
});

describe('.env.example', () => {
  const given = Object.fromEntries(
    textOf('.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/=(.*)/) as [string, string]),
  );

  it('has every setting of the manual', () => {
    const listed = page('docs/configuration.md').table('Variable', 'Default');
    expect(Object.keys(given)).toEqual(listed.map(([name]) => name));
  });

  it('has the defaults', () => {
    expect(loadEnv(given)).toEqual(new Env());
  });
});

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert?: string; readonly annotations?: { readonly runbook_url?: string } }[];
  }[];
}

describe('the runbook', () => {
  const { groups } = load(textOf('docker/observability/rules.yml')) as Rules;
  const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));
  const sections = textOf('docs/runbook.md')
    .split(/^#{2,3} /m)
    .filter((section) => section.startsWith('Petstore'));

  it('has a section for each alert, which the alert names', () => {
    const titles = sections.map((section) => section.split('\n', 1)[0]);
    expect(titles.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    const links = alerts.map(({ alert = '' }) => `docs/runbook.md#${alert.toLowerCase()}`);
    expect(alerts.map(({ annotations }) => annotations?.runbook_url)).toEqual(links);
  });

  it('says for each alert what it means, what to look at, and what to do', () => {
    const parts = sections.map((section) => [...section.matchAll(/^\*\*(Meaning\.|Look at|Do:?)\*\* /gm)].length);
    expect(parts).toEqual(sections.map(() => 3));
  });
});

/** The spec that causes each problem of the table. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  'PostgreSQL is killed, shut down or paused, or its network is gone': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL has no free connection': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL ends single connections': 'test/faults/postgres-away.spec.ts',
  'PostgreSQL is killed while it writes': 'test/faults/postgres-away.spec.ts',
  'The disk of PostgreSQL is full': 'test/faults/writes-in-time.spec.ts',
  'PostgreSQL accepts no writes, such as a standby': 'test/faults/writes-in-time.spec.ts',
  'Another session locks a table or its rows for writes': 'test/faults/writes-in-time.spec.ts',
  'Another session locks a table completely': 'test/faults/writes-in-time.spec.ts',
  'Statements are slow': 'test/faults/writes-in-time.spec.ts',
  'More requests than PostgreSQL can process': 'test/both-databases/overload.spec.ts',
  'The network to PostgreSQL is slow': 'test/faults/writes-in-time.spec.ts',
  'PostgreSQL fails over and loses the last operations on keys': 'src/auth/authentication/key-changes.poller.spec.ts',
  'A migration waits for the lock of a table, such as that of pg_dump': 'test/faults/migrations.spec.ts',
  'Instances start together on an empty database': 'test/faults/postgres-away.spec.ts',
  'Redis is killed, paused, or does not respond within REDIS_TIMEOUT_MS': 'test/e2e/redis.spec.ts',
  'Redis is out of memory, or read-only': 'test/e2e/redis.spec.ts',
  'Redis is flushed, or restarts empty': 'test/e2e/redis.spec.ts',
  'A key in Redis has another type, or the user lacks rights for it': 'src/rate-limit/redis/redis-refusals.spec.ts',
  'Redis loses its scripts': 'test/e2e/redis.spec.ts',
  'Redis is slow by 20 ms': 'src/platform/redis/redis-client.spec.ts',
  'Sentinels choose another Redis': 'src/platform/redis/sentinel.spec.ts',
  'A server of a Redis Cluster is killed or paused': 'src/platform/redis/redis-cluster.spec.ts',
  'Redis is unavailable when an instance starts': 'test/e2e/redis.spec.ts',
  'The event loop of an instance is blocked for a second': 'src/platform/redis/redis-client.away.spec.ts',
  'Another process holds the write lock of SQLite': 'test/e2e/failing.spec.ts',
  'The file of SQLite is moved or deleted': 'test/e2e/failing.spec.ts',
  'SQLite cannot write, such as on a full disk': 'test/e2e/failing.spec.ts',
  'A second service starts on a file of SQLite': 'test/processes/sqlite-file.spec.ts',
  'An instance is killed': 'test/processes/crash-fuzz.spec.ts',
  'An instance hangs': 'test/faults/postgres-away.spec.ts',
  'An unhandled error occurs in an instance': 'test/e2e/stopping.spec.ts',
  'Instances are restarted one after the other': 'test/faults/postgres-away.spec.ts',
  'A transaction of an extension does not end': 'test/e2e/rolled-back-work.spec.ts',
  'The reader of the log stalls': 'test/processes/stalled-reader.spec.ts',
  'Clients send broken or endless requests on thousands of connections': 'test/faults/rude-clients.spec.ts',
};

const problems = page('docs/operating.md')
  .table('Problem', 'Errors for clients')
  .map(([problem = '']) => problem);

describe('the problems that the manual describes', () => {
  it('are those that tests cause', () => {
    expect(Object.keys(SHOWN_BY).toSorted()).toEqual(problems.toSorted());
    expect(Object.values(SHOWN_BY).filter((file) => !existsSync(join(HOME, file)))).toEqual([]);
  });
});
