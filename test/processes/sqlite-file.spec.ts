import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'sqlite-driver';
import { ask } from '../support/http.js';
import { insertKey } from '../support/insert-key.js';
import { type Ended, runProgram, type ServiceProcess, startProcess } from '../support/service-process.js';
import { shareFolder } from '../support/share-folder.js';
import { until } from '../support/until.js';

/** Counting that a crash may lose: two seconds, and one more on a machine that is busy with other things. */
const LOSS_MS = 3_000;
const SQLITE = { DATABASE_URL: 'sqlite:petstore.sqlite', PORT: '0' };

/** The headers show the day, which does not end during a test as a minute does. */
const DAY_FIRST = { plan: 'enterprise', perMinute: 1_000, perDay: 999 } as const;

const folder = shareFolder();

// Variables of extensions and of other programs are none of its own.
const keys = (...args: string[]) =>
  runProgram('keys.cli.js', args, {
    folder,
    env: { ...SQLITE, RATE_OF_REVIEWS: '3', REDIS_TLS_URL: 'rediss://redis.example.com' },
  });

describe('an SQLite file', () => {
  let migrated: Ended;
  let service: ServiceProcess;

  beforeAll(async () => {
    migrated = await runProgram('migrate.cli.js', [], { folder, env: SQLITE });
    service = await startProcess({ folder, env: SQLITE });
  });
  afterAll(() => service.stop('SIGKILL'));

  const list = (key: string) => ask(service.port, { path: '/v1/pets', key });

  it('is migrated by the migrate program', () => {
    expect(migrated).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"no migration is pending"'),
      stderr: '',
    });
  });

  it('gets keys of the keys program, which a running service accepts until they are revoked', async () => {
    const { code, stdout, stderr } = await keys('create', '--account', 'acme', '--plan', 'pro', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { id, key } = JSON.parse(stdout) as { id: string; key: string };
    expect((await list(key)).status).toBe(200);
    expect(await keys('revoke', id)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n`, stderr: '' });
    await until(async () => (await list(key)).status === 401);
    expect(await (await list(key)).json()).toMatchObject({ code: 'api_key_revoked' });
  });

  it('gets none of wrong arguments, which the keys program refuses on standard error, with 2', async () => {
    expect(await keys('create', '--plan', 'pro')).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(/^.*--account.*\n$/),
    });
  });

  it('has one service', async () => {
    const { code, stderr } = await runProgram('main.js', [], { folder, env: SQLITE });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Process \d+ on \S+ already serves \S+petstore\.sqlite/)]);
  });

  it('has another one after a change in development, which waits until the one before has stopped', async () => {
    const [next] = await Promise.all([startProcess({ folder, env: SQLITE }), service.stop('SIGTERM')]);
    service = next;
    expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
  });

  it('has another one after kill -9, which loses the counts of at most two seconds', async () => {
    const { key } = await insertKey(`sqlite:${join(folder, 'petstore.sqlite')}`, 'counted', DAY_FIRST);
    const counts = async () => {
      const { headers } = await list(key);
      return ['limit', 'reset', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
    };
    const [limit, reset, unused = 0] = await counts();
    const timesMs: number[] = [];
    const safeAt = (timeMs: number) => timesMs.filter((countedMs) => countedMs < timeMs - LOSS_MS).length;
    while (safeAt(performance.now()) < 10) {
      await list(key);
      timesMs.push(performance.now());
      await delay(50);
    }
    const killedMs = performance.now();
    await service.stop('SIGKILL');
    service = await startProcess({ folder, env: SQLITE });
    const [limitAfter, resetAfter, left = 0] = await counts();
    expect([limitAfter, resetAfter]).toEqual([limit, reset]);
    expect(unused - left).toBeGreaterThan(safeAt(killedMs));
    expect(unused - left).toBeLessThanOrEqual(timesMs.length + 1);
  });

  it('is copied by the backup program while it is served', async () => {
    expect(await runProgram('backup.cli.js', ['backup.sqlite'], { folder, env: SQLITE })).toMatchObject({
      code: 0,
      stdout: 'backup.sqlite is complete and intact.\n',
      stderr: '',
    });
  });

  it('is left in order by SIGTERM, after which the process exits with 0', async () => {
    expect(await service.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' });
    await (await startProcess({ folder, env: SQLITE })).stop('SIGKILL');
  });
});

describe('the default SQLite file', () => {
  const another = shareFolder();

  it('is served by one of two processes that start at once, with one key and one set of pets', async () => {
    const outcomes = await Promise.allSettled([1, 2].map(() => startProcess({ folder: another })));
    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const [stopped] = await Promise.all(started.map((one) => one.stop()));
    expect(started).toHaveLength(1);
    expect(new Set(stopped?.stdout.match(/psk_\w+/g)).size).toBe(1);
    const database = new Sqlite(join(another, 'data/petstore.sqlite'), { readonly: true });
    const pets = database.prepare('SELECT count(*) AS "all", count(DISTINCT name) AS "names" FROM pets').get();
    database.close();
    expect(pets).toEqual({ all: 5, names: 5 });
  });
});
