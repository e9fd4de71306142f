import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock, ConfigModule, loadEnv } from '../../config/index.js';
import { Database, DatabaseModule } from '../../database/index.js';
import { CounterPersistence } from './counter-persistence.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { UsageWindow } from './usage-window.entity.js';
import { COUNTER_ENTITIES } from '../index.js';
import { makeFolder, openDatabase, PATIENT, removeDatabase } from '../../../test/support/databases.js';

let folder: string;
let app: INestApplicationContext;
let database: Database;
const clock = new Clock();
clock.nowMs = () => Date.parse('2026-11-21T12:00:00.250Z');

beforeEach(async () => {
  folder = makeFolder();
  const env = loadEnv({ ...PATIENT, DATABASE_URL: await openDatabase(folder) });
  const testing = await Test.createTestingModule({
    imports: [ConfigModule.of(env, clock), DatabaseModule.of(env, { entities: COUNTER_ENTITIES })],
  }).compile();
  app = await testing.init();
  database = app.get(Database);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await app.close();
  await removeDatabase(folder);
});

const usages = () => database.read((manager) => manager.find(UsageWindow, { order: { subject: 'ASC' } }));

describe('a full table that is persisted', () => {
  it('keeps the row of a subject that is evicted and returns during a write', async () => {
    const store = new MemoryCounterStore(clock, loadEnv(), { addresses: 1, shared: 4 });
    const persistence = new CounterPersistence(database, store, clock);
    store.admitAddress('192.0.2.1');
    await persistence.run();
    store.admitAddress('192.0.2.2');
    const write = database.write.bind(database);
    jest.spyOn(database, 'write').mockImplementationOnce((work) => {
      store.admitAddress('192.0.2.1');
      store.admitAddress('192.0.2.2');
      return write(work);
    });
    await persistence.run();
    await persistence.run();
    expect((await usages()).map(({ subject }) => subject)).toContain('address:192.0.2.2');
  });

  it('includes the requests of subjects beyond its capacity', async () => {
    const full = new MemoryCounterStore(clock, loadEnv({ ANONYMOUS_PER_MINUTE: '3' }), { addresses: 10, shared: 4 });
    const persistence = new CounterPersistence(database, full, clock);
    for (let index = 0; index < 40; index++) full.admitAddress(`192.0.2.${index}`);
    await persistence.run();
    expect((await usages()).filter(({ subject }) => subject.startsWith('address:'))).toHaveLength(10);
    const restored = new MemoryCounterStore(clock, loadEnv({ ANONYMOUS_PER_MINUTE: '3' }), {
      addresses: 10,
      shared: 4,
    });
    const restoring = new CounterPersistence(database, restored, clock);
    await restoring.onModuleInit();
    for (let index = 0; index < 40; index++) {
      expect(restored.peekAddress(`192.0.2.${index}`).remaining).toBe(full.peekAddress(`192.0.2.${index}`).remaining);
    }
    expect(restored.peekAddress('192.0.2.0').remaining).toBeLessThan(3);
    await restoring.onApplicationShutdown();
  });
});
