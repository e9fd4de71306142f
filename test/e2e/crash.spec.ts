import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { trio } from '../support/app.js';
import { AMPLE, databaseUrl, Folders, makeKeys } from '../support/folders.js';
import { ask, JSON_TYPE } from '../support/http.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';

/** Counting that a crash may lose, in milliseconds. */
const LOSS_MS = 2_000;
const WRITERS = 16;

const folders = new Folders();
let folder: string;
let key: string;
let service: ServiceProcess;

const start = () => startProcess({ folder, env: { DATABASE_URL: databaseUrl(folder) } });

beforeEach(async () => {
  folder = folders.make();
  [key = ''] = await makeKeys(folder, AMPLE);
  service = await start();
});
afterEach(() => service.stop('SIGKILL'));
afterAll(() => folders.remove());

describe('kill -9', () => {
  it('loses at most two seconds of counting', async () => {
    const [counted = ''] = await makeKeys(folder, { account: 'counted', plan: 'pro' });
    const list = () => ask(service.port, { path: '/v1/pets', key: counted });
    const timesMs: number[] = [];
    const { reset } = trio(await list());
    for (const endMs = performance.now() + 2_600; performance.now() < endMs; ) {
      await list();
      timesMs.push(performance.now());
      await delay(15);
    }
    const killedMs = performance.now();
    await service.stop('SIGKILL');
    service = await start();
    const after = trio(await list());
    const safe = 1 + timesMs.filter((timeMs) => timeMs < killedMs - LOSS_MS).length;
    const all = 1 + timesMs.length;
    expect(safe).toBeGreaterThan(5);
    expect(after).toMatchObject({ limit: 300, reset });
    expect(300 - Number(after.remaining) - 1).toBeGreaterThanOrEqual(safe);
    expect(300 - Number(after.remaining) - 1).toBeLessThanOrEqual(all);
  });

  it('during creates loses none that was answered with 201, and makes none of them twice, three times over', async () => {
    const created: number[] = [];
    const confirmed = new Map<string, number>();
    for (let round = 0; round < 3; round += 1) {
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(`${round}-${writer}`, confirmed));
      await delay(250 + 100 * round);
      await service.stop('SIGKILL');
      await Promise.all(writers);
      created.push(confirmed.size);
      service = await start();
    }
    expect(created[0]).toBeGreaterThan(WRITERS);
    expect(created[2]).toBeGreaterThan(Number(created[1]));
    const found = await everyPet();
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
      const answer = await ask(service.port, { method: 'POST', path: '/v1/pets', key, headers: JSON_TYPE, body: JSON.stringify({ name, categoryId: 1 }) });
      const text = await answer.text();
      if (answer.status === 201) confirmed.set(name, (JSON.parse(text) as { id: number }).id);
    } catch {
      return;
    }
  }
}

async function everyPet(): Promise<{ id: number; name: string }[]> {
  const pets: { id: number; name: string }[] = [];
  for (let path: string | undefined = '/v1/pets?limit=100'; path !== undefined; ) {
    const answer: Response = await ask(service.port, { path, key });
    pets.push(...((await answer.json()) as { id: number; name: string }[]));
    path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return pets;
}
