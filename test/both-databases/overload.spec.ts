import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/platform/config/clock.js';
import { queryDatabase } from '../support/databases.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

/** Each statement takes half a second, so that the pool can process ten requests a second. */
const POOL_SIZE = 5;
const STATEMENT_SECONDS = 0.5;
const TIMEOUT_MS = 1_000;
/** Of requests, which arrive at 60 a second. */
const COUNT = 240;
const INTERVAL_MS = 1_000 / 60;
/** Every other client gives up after this time. */
const PATIENCE_MS = 600;
/** Time for a busy machine, in addition to what is promised. Without the timeout, the last would wait for 20 seconds. */
const MARGIN_MS = 8_000;

const env = { DATABASE_POOL_SIZE: String(POOL_SIZE), DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) };
shareApp({ clock: new Clock(), env }, AMPLE);
beforeAll(async () => {
  await sql(
    `INSERT INTO "pets" ("id", "name", "category_id") SELECT n, 'before', 1 FROM generate_series(1, ${COUNT}) n`,
  );
  await sql(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${STATEMENT_SECONDS}); RETURN NEW; END $$`,
  );
  await sql('CREATE TRIGGER "slow" BEFORE UPDATE ON "pets" FOR EACH ROW EXECUTE FUNCTION slow()');
  await service.request('/v1/pets', { key });
});

const sql = <Row extends object>(statement: string) => queryDatabase<Row>(service.folder, statement);

/** The status of a response, or 0 if the client gave up, and how long it took. */
async function timed(send: (signal: AbortSignal) => Promise<Response>, patienceMs = 60_000) {
  const beginMs = performance.now();
  const response = await send(AbortSignal.timeout(patienceMs)).catch(() => undefined);
  return { status: response?.status ?? 0, tookMs: performance.now() - beginMs, headers: response?.headers };
}

function change(petId: number) {
  const request = { key, method: 'PATCH', headers: JSON_TYPE, body: '{"name":"after"}' };
  const send = (signal: AbortSignal) => service.request(`/v1/pets/${petId}`, { ...request, signal });
  return timed(send, petId % 2 === 0 ? PATIENCE_MS : undefined);
}

async function changed(): Promise<Set<number>> {
  const rows = await sql<{ id: string }>(`SELECT "id" FROM "pets" WHERE "name" = 'after'`);
  return new Set(rows.map(({ id }) => Number(id)));
}

describe('more requests than PostgreSQL can process', () => {
  it('return 503 in time and are not executed later, and readiness responds in time', async () => {
    const requests: ReturnType<typeof change>[] = [];
    const checks: ReturnType<typeof timed>[] = [];
    for (let n = 1; n <= COUNT; n++) {
      requests.push(change(n));
      if (n % 12 === 0) checks.push(timed((signal) => service.request('/health/ready', { signal })));
      await delay(INTERVAL_MS);
    }
    const responses = await Promise.all(requests);
    const done = await changed();
    for (const { status, tookMs } of await Promise.all(checks)) {
      expect([200, 503]).toContain(status);
      expect(tookMs).toBeLessThan(1_000 + MARGIN_MS);
    }
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 503, 0]));
    expect(Math.max(...responses.map(({ tookMs }) => tookMs))).toBeLessThan(2 * TIMEOUT_MS + MARGIN_MS);
    const answered = (expected: number) =>
      responses.flatMap(({ status, headers }, index) =>
        status === expected ? [{ isDone: done.has(index + 1), retryAfter: headers?.get('retry-after') ?? null }] : [],
      );
    expect(answered(200).filter(({ isDone }) => !isDone)).toEqual([]);
    expect(answered(503).filter(({ isDone, retryAfter }) => isDone || retryAfter !== '1')).toEqual([]);
    await delay(TIMEOUT_MS);
    const later = await changed();
    expect(later.size - done.size).toBeLessThanOrEqual(2 * POOL_SIZE);
    await delay(TIMEOUT_MS);
    expect(await changed()).toEqual(later);
    expect((await service.request('/health/ready')).status).toBe(200);
  });
});
