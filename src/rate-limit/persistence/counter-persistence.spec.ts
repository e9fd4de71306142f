// @postgres: counts are merged by statements of the database.
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Like } from 'typeorm';
import { Registry } from '@prometheus-io/client';
import type { Caller } from '../../auth/caller.js';
import { callerOf } from '../../../test/support/callers.js';
import { ConfigModule } from '../../platform/config/config.module.js';
import { loadEnv } from '../../platform/config/load-env.js';
import { Account } from '../../auth/keys/account.entity.js';
import { ApiKey } from '../../auth/keys/api-key.entity.js';
import { AuditRecord } from '../../auth/keys/audit-record.entity.js';
import { Database } from '../../database/database.js';
import { DatabaseModule } from '../../database/database.module.js';
import { MonitoringModule } from '../../monitoring/monitoring.module.js';
import { CounterPersistence } from './counter-persistence.js';
import type { Decision } from '../windows/decision.js';
import { KeyBan } from './key-ban.entity.js';
import { CounterSweep, MemoryCounterStore } from '../memory/memory-counter-store.js';
import { UsageWindow } from './usage-window.entity.js';
import { DAY_SECONDS } from '../windows/usage.js';
import { RateLimitModule } from '../rate-limit.module.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { makeFolder, openDatabase, PATIENT, removeDatabase } from '../../../test/support/databases.js';

const CALLER = callerOf({ accountId: 7, limits: { perMinute: 5, perDay: 100 } });

let folder: string;
let clock: FakeClock;
let running: INestApplicationContext[];

beforeEach(() => {
  folder = makeFolder();
  clock = new FakeClock();
  running = [];
});

afterEach(async () => {
  for (const app of running) await app.close();
  await removeDatabase(folder);
});

async function start() {
  const env = loadEnv({ ...PATIENT, DATABASE_URL: await openDatabase(folder) });
  const testing = await Test.createTestingModule({
    imports: [
      ConfigModule.forRoot(env, clock),
      DatabaseModule.forRoot(env, { entities: [Account, ApiKey, UsageWindow, KeyBan, AuditRecord] }),
      MonitoringModule.forRoot(new Registry()),
      RateLimitModule,
    ],
  }).compile();
  const app = await testing.init();
  running.push(app);
  const store = app.get(MemoryCounterStore);
  const database = app.get(Database);
  // Only what an account or a key was counted for is stored.
  await database.manager.query(`INSERT INTO "accounts" ("id", "name", "plan", "created_at")
    WITH RECURSIVE "new" ("id") AS (SELECT 1 UNION ALL SELECT "id" + 1 FROM "new" WHERE "id" < 2600)
    SELECT "id", CAST("id" AS TEXT), 'free', 0 FROM "new" WHERE TRUE ON CONFLICT DO NOTHING`);
  const ofKey = { id: CALLER.keyId, accountId: 7, sha256: '', masked: '', scopes: [], createdAt: 0 };
  await database.manager.upsert(ApiKey, ofKey, ['id']);
  return {
    store,
    database,
    persistence: app.get(CounterPersistence),
    sweep: app.get(CounterSweep),
    admit: (times = 1, caller: Partial<Caller> = {}): Decision[] =>
      Array.from({ length: times }, () => store.admit({ ...CALLER, ...caller })),
    usages: () =>
      database.manager.find(UsageWindow, { where: { subject: Like('account:%') }, order: { subject: 'ASC' } }),
    bans: () => database.manager.find(KeyBan),
    async stop(): Promise<void> {
      running.splice(running.indexOf(app), 1);
      await app.close();
    },
  };
}

describe('persisted counters', () => {
  it('keep windows over a restart', async () => {
    const before = await start();
    before.admit(3);
    clock.advanceSeconds(60);
    const [shown] = before.admit(2);
    before.store.admitAddress('2001:db8::/64');
    await before.stop();
    clock.ms += 20_000;
    const after = await start();
    expect(after.store.peek(CALLER)).toMatchObject({ day: { remaining: 95 }, key: { minute: 2, day: 5 } });
    expect(after.admit()).toMatchObject([{ outcome: 'admitted', remaining: 2, resetSeconds: shown?.resetSeconds }]);
    expect(after.store.admitAddress('2001:db8::/64')).toMatchObject({ remaining: 298 });
  });

  it('are kept at a start with a clock that is behind', async () => {
    const before = await start();
    before.admit(3);
    await before.stop();
    clock.advanceSeconds(-30 * DAY_SECONDS);
    const behind = await start();
    await behind.sweep.run();
    await behind.stop();
    clock.advanceSeconds(30 * DAY_SECONDS);
    expect((await start()).store.peek(CALLER)).toMatchObject({ day: { remaining: 97 } });
  });

  it('are written without a shutdown, once per subject with its latest state', async () => {
    const { admit, persistence, usages, database } = await start();
    admit(2);
    await persistence.tryRun();
    admit(2);
    const write = jest.spyOn(database, 'write');
    await persistence.tryRun();
    await persistence.tryRun();
    expect(write).toHaveBeenCalledTimes(2);
    const starts = { minuteStart: Math.floor(clock.ms / 1000), dayStart: Date.parse('2026-11-21') / 1000 };
    expect(await usages()).toEqual([{ subject: 'account:7', ...starts, minuteUsed: 4, dayUsed: 4 }]);
  });

  it('are written in batches of bounded size', async () => {
    const { admit, persistence, usages, database } = await start();
    for (let accountId = 1; accountId <= 2_001; accountId++) admit(1, { accountId });
    const write = jest.spyOn(database, 'write');
    await persistence.tryRun();
    expect(write).toHaveBeenCalledTimes(4);
    expect(await usages()).toHaveLength(2_001);
  });

  it('are written later if the database fails, which is logged once', async () => {
    const { admit, persistence, usages, database } = await start();
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const begin = database.write.bind(database);
    const write = jest.spyOn(database, 'write').mockImplementation((work) =>
      begin(async (manager) => {
        await work(manager);
        throw new Error('disk gone');
      }),
    );
    admit(2);
    admit(2, { accountId: 8 });
    await persistence.tryRun();
    admit(1);
    await persistence.tryRun();
    expect(logged).toHaveBeenCalledTimes(1);
    write.mockRestore();
    await persistence.tryRun();
    const used = (await usages()).map(({ subject, minuteUsed }) => [subject, minuteUsed]);
    expect(Object.fromEntries(used)).toEqual({ 'account:7': 3, 'account:8': 2 });
  });

  it('include requests that are counted during a write', async () => {
    const { admit, persistence, usages, database } = await start();
    const write = database.write.bind(database);
    jest.spyOn(database, 'write').mockImplementationOnce(async (work) => {
      const result = await write(work);
      admit(1);
      return result;
    });
    admit(1);
    await persistence.tryRun();
    await persistence.tryRun();
    expect(await usages()).toMatchObject([{ minuteUsed: 2 }]);
  });

  it('are deleted at the start if they have expired', async () => {
    const before = await start();
    before.admit(10);
    for (let accountId = 100; accountId < 2_600; accountId++) before.admit(1, { accountId });
    await before.stop();
    clock.ms += 2 * 86_400_000;
    const after = await start();
    expect(await after.usages()).toEqual([]);
    expect(await after.bans()).toEqual([]);
    expect(after.store.accounts.size).toBe(0);
  });

  it('are deleted when a sweep drops them, and written again with their subject', async () => {
    const { admit, sweep, persistence, usages } = await start();
    admit(3);
    admit(1, { accountId: 8 });
    await persistence.tryRun();
    clock.ms += 86_400_000;
    await sweep.run();
    admit(1);
    await persistence.tryRun();
    await persistence.tryRun();
    expect(await usages()).toMatchObject([{ subject: 'account:7', dayUsed: 1 }]);
  });

  it('of a full table keep the row of a subject that is removed and returns during a write', async () => {
    const { database } = await start();
    const store = new MemoryCounterStore(clock, loadEnv({}), true, { addresses: 1 });
    const persistence = new CounterPersistence(database, store, clock);
    store.admitAddress('192.0.2.1');
    await persistence.tryRun();
    store.admitAddress('192.0.2.2');
    const write = database.write.bind(database);
    jest.spyOn(database, 'write').mockImplementationOnce((work) => {
      store.admitAddress('192.0.2.1');
      store.admitAddress('192.0.2.2');
      return write(work);
    });
    await persistence.tryRun();
    await persistence.tryRun();
    const rows = await database.manager.find(UsageWindow);
    expect(rows.map(({ subject }) => subject)).toEqual(['address:192.0.2.2']);
  });
});
