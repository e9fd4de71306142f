import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { databaseUrl } from '../support/databases.js';
import { AMPLE, Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { everyPet } from '../support/traffic.js';
import { until } from '../support/until.js';

/** Counting that a crash may lose: two seconds, and one more on a machine that is busy with other things. */
const LOSS_MS = 3_000;
const WRITERS = 16;

const folders = new Folders();
let folder: string;
let key: string;
let service: ServiceProcess;

const send = (method: string, path: string, body?: object) =>
  ask(service.port, { method, path, key, headers: JSON_TYPE, body: JSON.stringify(body) });
const start = () => startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });

beforeEach(async () => {
  folder = folders.make();
  [key = ''] = await makeKeys(folder, AMPLE);
  service = await start();
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

describe('kill -9', () => {
  it('loses the counts of at most two seconds', async () => {
    const [counted = ''] = await makeKeys(folder, { account: 'counted', plan: 'pro' });
    const list = () => ask(service.port, { path: '/v1/pets', key: counted });
    const timesMs: number[] = [];
    const { reset } = trio(await list());
    const safeAt = (timeMs: number) => timesMs.filter((countedMs) => countedMs < timeMs - LOSS_MS).length;
    while (safeAt(performance.now()) < 10) {
      await list();
      timesMs.push(performance.now());
      await delay(50);
    }
    const killedMs = performance.now();
    await service.stop('SIGKILL');
    service = await start();
    const after = trio(await list());
    const safe = 1 + safeAt(killedMs);
    const all = 1 + timesMs.length;
    expect(after).toMatchObject({ limit: 300, reset });
    expect(300 - Number(after.remaining) - 1).toBeGreaterThanOrEqual(safe);
    expect(300 - Number(after.remaining) - 1).toBeLessThanOrEqual(all);
  });

  it('during creates loses and duplicates no pet that returned 201, three times in a row', async () => {
    const confirmed = new Map<string, number>();
    for (let round = 0; round < 3; round += 1) {
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(`${round}-${writer}`, confirmed));
      // Each writer has added a pet on average.
      const before = confirmed.size;
      await until(() => confirmed.size > before + WRITERS);
      await service.stop('SIGKILL');
      await Promise.all(writers);
      service = await start();
    }
    const found = await everyPet(service.port, key);
    const counts = Map.groupBy(found, ({ name }) => name);
    expect([...counts].filter(([, pets]) => pets.length !== 1)).toEqual([]);
    expect([...confirmed].filter(([name, id]) => counts.get(name)?.[0]?.id !== id)).toEqual([]);
  });
});

/** Adds pets of ever new names one after the other until the service is gone, and notes those that it confirmed. */
async function write(prefix: string, confirmed: Map<string, number>): Promise<void> {
  for (let n = 0; ; n += 1) {
    const name = `pet ${prefix}-${n}`;
    try {
      const response = await send('POST', '/v1/pets', { name, categoryId: 1 });
      const text = await response.text();
      if (response.status === 201) confirmed.set(name, (JSON.parse(text) as { id: number }).id);
    } catch {
      return;
    }
  }
}
