import { expect, it, jest } from '@jest/globals';
import { startApp } from '../../../test/support/app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { loadEnv } from '../../platform/config/load-env.js';
import { Database } from '../../database/database.js';
import { MemoryCounterStore } from '../memory/memory-counter-store.js';
import { CounterPersistence } from './counter-persistence.js';
import { UsageWindow } from './usage-window.entity.js';

it('a full table keeps the row of a subject that is removed and returns during a write', async () => {
  const clock = new FakeClock();
  const service = await startApp({ clock });
  const database = service.app.get(Database);
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
  jest.restoreAllMocks();
  await service.stop();
});
