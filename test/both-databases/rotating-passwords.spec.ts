import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { poolOptions } from '../../src/database/postgres/postgres-options.js';
import { currentSecret, loadEnv } from '../../src/platform/config/load-env.js';
import { makeFolder, onSharedServer, removeDatabase } from '../support/databases.js';
import { count, eventually, LinkBench, LONG_TIMEOUT_MS } from '../support/link-bench.js';
import { within } from '../support/until.js';

const folder = makeFolder();
const file = join(folder, 'secret');

afterAll(() => removeDatabase(folder));

describe('a connection to PostgreSQL', () => {
  const database = onSharedServer(folder);
  const roles = ['rotating_before', 'rotating_after'] as const;

  beforeAll(async () => {
    await database.createEmpty();
    for (const role of roles) await database.query(`CREATE ROLE "${role}" LOGIN`);
  });
  afterAll(async () => {
    for (const role of roles) await database.query(`DROP ROLE "${role}"`);
    await database.remove();
  });

  it('has the user and the password that its file has when it is opened', async () => {
    const write = (role: string) => {
      const url = new URL(database.url);
      url.username = role;
      writeFileSync(file, url.href);
    };
    write(roles[0]);
    const env = loadEnv({ DATABASE_URL_FILE: file, DATABASE_POOL_SIZE: '1' });
    const pool = new DataSource(poolOptions(String(env.DATABASE_URL), env, { entities: [], migrations: [] }));
    await pool.initialize();
    const user = async () => (await pool.query<{ user: string }[]>('SELECT current_user AS "user"'))[0]?.user;
    write(roles[1]);
    expect(await user()).toBe(roles[0]);
    const end = `SELECT pg_terminate_backend("pid") FROM pg_stat_activity WHERE "usename" = '${roles[0]}'`;
    await database.query(end);
    // The first statement may still get the connection that has ended.
    const result = await within(
      5_000,
      () => user().catch(String),
      (now) => now === roles[1],
    );
    expect(result).toBe(roles[1]);
    await pool.destroy();
  });
});

describeWithRedis('the connection to Redis', () => {
  it('has the password that its file has when it is opened again', async () => {
    const bench = await LinkBench.start(LONG_TIMEOUT_MS, '--requirepass', 'before');
    const urlWith = (password: string) => bench.server.url.replace('//', `//:${password}@`);
    writeFileSync(file, urlWith('before'));
    const env = loadEnv({ REDIS_URL_FILE: file });
    const link = await bench.open(env.REDIS_URL, undefined, LONG_TIMEOUT_MS, () =>
      String(currentSecret(env, 'REDIS_URL')),
    );
    expect(await count(link)).toBe(1);
    await bench.server.call('CONFIG', 'SET', 'requirepass', 'after');
    expect(await count(link)).toBe(2);
    writeFileSync(file, urlWith('after'));
    const admin = new Redis(bench.server.port, '127.0.0.1', { password: 'after' });
    await admin.client('KILL', 'TYPE', 'normal');
    admin.disconnect();
    await eventually(() => !link.isUp);
    await eventually(() => link.isUp);
    expect(await count(link)).toBe(3);
    await bench.stop();
  });
});
