import { createServer } from 'node:http';
import { listen } from '../support/listen.js';
import { webhookSettings } from '../support/webhook-settings.js';
import { buildContenders } from './harness/build.js';
import { stayOnLoadCpu } from './harness/cpus.js';
import { OURS } from './harness/contenders.js';
import { readOptions } from './harness/options.js';
import { say } from './harness/progress.js';
import { start } from './harness/running.js';
import { seedDatabase } from './harness/seed.js';
import { median } from './harness/statistics.js';
import { figure, table, whole } from './harness/table.js';

/** Deliveries of one service to receivers on this machine: each created pet goes to each webhook. */
const WEBHOOKS = 16;
const PETS_CREATED = 1_000;
const CREATED_AT_ONCE = 32;
const SCOPES = 'pets:read pets:write events:read webhooks:manage';

const { starts, on } = readOptions();
stayOnLoadCpu();
buildContenders();
const seed = await seedDatabase(0, on, `UPDATE "api_keys" SET "scopes" = '${SCOPES}'`);
const perSecond: number[] = [];
const cpuMicroseconds: number[] = [];

async function measure(): Promise<void> {
  const deliveries = WEBHOOKS * PETS_CREATED;
  const arrived = Promise.withResolvers<void>();
  let count = 0;
  const receiver = createServer((request, response) => {
    request
      .resume()
      .once('end', () => response.writeHead(204).end(() => (count += 1) === deliveries && arrived.resolve()));
  });
  const port = await listen(receiver);
  const running = await start({ ...OURS, env: webhookSettings(port) }, seed);
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${seed.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${running.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  try {
    for (let at = 0; at < WEBHOOKS; at += 1)
      await post('/v1/webhooks', { url: `http://127.0.0.1:${port}/${at}`, types: ['pet.created'] });
    const [startedMs, usedSeconds] = [performance.now(), running.cpuSeconds()];
    let left = PETS_CREATED;
    const create = async (): Promise<void> => {
      while (left-- > 0) await post('/v1/pets', { name: 'Bella', categoryId: 3 });
    };
    await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
    await arrived.promise;
    perSecond.push(deliveries / ((performance.now() - startedMs) / 1_000));
    cpuMicroseconds.push(((running.cpuSeconds() - usedSeconds) / deliveries) * 1e6);
  } finally {
    receiver.close().closeAllConnections();
    await running.stop();
  }
}

try {
  for (let round = 0; round < starts; round += 1) {
    say(`start ${round + 1} of ${starts}`);
    await measure();
  }
  const title = `Deliveries of ${PETS_CREATED} events to ${WEBHOOKS} webhooks, ${on}: medians of ${starts} starts.`;
  const rows = [[whole(median(perSecond)), figure(median(cpuMicroseconds))]];
  process.stdout.write(`${title}\n\n${table(['deliveries per second', 'processor time each, µs'], rows)}\n`);
} finally {
  await seed.remove();
}
