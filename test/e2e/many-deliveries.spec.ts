// @postgres: deliveries are repeated and deleted by other statements.
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EntityManager } from 'typeorm';
import { Database, Deliveries, EventLog, type Subscription, Subscriptions } from '../../src/kernel.js';
import { RemovedSubscriptions } from '../../src/database/events/delivery/event-retention.js';
import { MOST_READ } from '../../src/database/events/delivery/due-deliveries.js';
import { SqliteQueryRunner } from '../../src/database/sqlite/sqlite-query-runner.js';
import { onPostgres } from '../support/databases.js';
import { AMPLE, service, shareApp } from '../support/folders.js';
import { protectRows, unprotectRows } from '../support/protected-rows.js';
import type { Webhook } from '../support/webhook-receiver.js';
import { WEBHOOK_KEY } from '../support/webhook-settings.js';
import { callHook, createHook } from '../support/webhooks.js';

const SUBJECTS = 7;
const ENDED_MS = Date.now() - 86_400_000;
/** Of the last delivery that was added. */
let lastPlace = 1_000_000;

shareApp({ env: { WEBHOOK_KEY } }, { ...AMPLE, scopes: ['pets:read', 'webhooks:manage'] });
afterEach(() => void jest.restoreAllMocks());

const sql = <Row extends object = object>(text: string) => service.database.query<Row>(text);
/** A webhook that is disabled, so that nobody handles its deliveries. */
const create = async () => {
  const hook = await createHook('https://example.com/hook');
  await callHook('PATCH', hook, '', { enabled: false });
  return { hook, name: `webhook:${hook.id}` };
};
/** They ended a second after the other. */
const addDeliveries = async (name: string, count: number, state: string) => {
  const rows = Array.from({ length: count }, (_, n) => {
    const endedMs = ENDED_MS + n * 1_000;
    return `('${name}', ${++lastPlace}, 'pet:${(n * 5) % SUBJECTS}', '${state}', 3, ${endedMs}, ${endedMs})`;
  });
  const columns = '"subscription", "place", "subject", "state", "attempts", "due_at", "at"';
  await sql(`INSERT INTO "event_deliveries" (${columns}) VALUES ${rows.join()}`);
};
const countOf = async (name: string, condition = 'TRUE') => {
  const text = `SELECT CAST(COUNT(*) AS TEXT) AS "count" FROM "event_deliveries" WHERE "subscription" = '${name}' AND ${condition}`;
  return Number((await sql<{ count: string }>(text))[0]?.count);
};
const replay = (hook: Webhook, fromMs = ENDED_MS) =>
  callHook('POST', hook, '/replay', { since: new Date(fromMs).toISOString(), state: 'delivered' });
const lengthOf = async (rows: Promise<unknown[]>) =>
  (await rows).flat().filter((row) => typeof row === 'object').length;
/** The statements that change deliveries, and the numbers of rows that they changed. */
const changes = async (spy: jest.SpiedFunction<EntityManager['query']>) => {
  const found = spy.mock.calls.map(([text], n) => ({ text, rows: spy.mock.results[n]?.value as Promise<unknown[]> }));
  const changing = found.filter(({ text }) => text.startsWith('UPDATE "event_deliveries"'));
  return Promise.all(changing.map(async ({ text, rows }) => ({ text, count: await lengthOf(rows) })));
};

/** How SQLite carries out a statement. */
const planOf = async (text: string) => {
  const parameters = Array.from(text.matchAll(/\?/g), () => '[]');
  const sqlOfPlan = `EXPLAIN QUERY PLAN ${text}`;
  const plan = await service.app.get(Database).query<{ detail: string }[]>(sqlOfPlan, parameters);
  return plan.map(({ detail }) => detail);
};

const fanOut = async (subscriptions: readonly Subscription[]) =>
  service.app.get(Subscriptions).fanOut(subscriptions, await service.app.get(EventLog).end());
const subscriptionsFor = async (count: number, name: string): Promise<Subscription[]> => {
  const names = Array.from({ length: count }, (_, n) => `${name}:${n}`);
  const end = 'SELECT CAST(COALESCE(MAX("id"), 0) AS TEXT) AS "end" FROM "event_log"';
  const place = (await sql<{ end: string }>(end))[0]?.end;
  for (let from = 0; from < count; from += 10_000)
    await sql(
      `INSERT INTO "event_subscriptions" ("name", "place") VALUES ${names
        .slice(from, from + 10_000)
        .map((one) => `('${one}', ${place})`)
        .join()}`,
    );
  const common = { atOnce: 1, retryAfterMs: [], keepsDelivered: true, handle: () => Promise.resolve() };
  return names.map((one) => ({ ...common, name: one, filter: { types: ['pet.created'] } }));
};
const addEvents = (count: number) => {
  const rows = Array.from({ length: count }, (_, n) => `('e${n}', 'pet.created', 0, 'pet:${n % SUBJECTS}', '{}', 0)`);
  return sql(
    `INSERT INTO "event_log" ("event_id", "type", "account_id", "subject", "data", "at") VALUES ${rows.join()}`,
  );
};

describe('replayDeliveries', () => {
  it('repeats many deliveries once each, in the order of each subject, some hundred at a time', async () => {
    const { hook, name } = await create();
    await addDeliveries(name, 3_000, 'delivered');
    const spy = jest.spyOn(EntityManager.prototype, 'query');
    expect((await replay(hook, ENDED_MS + 100_000)).body).toEqual({ repeated: 2_900 });
    const counts = (await changes(spy)).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_900);
    expect(Math.max(...counts)).toBeLessThanOrEqual(500);
    expect(await countOf(name, `"state" = 'pending' AND "attempts" = 0`)).toBe(2_900);
    const due = `SELECT "subject", "place" FROM "event_deliveries" WHERE "subscription" = '${name}' AND "state" = 'pending' ORDER BY "due_at", "place"`;
    const rows = await sql<{ subject: string; place: number | string }>(due);
    for (const ofSubject of Map.groupBy(rows, ({ subject }) => subject).values()) {
      const places = ofSubject.map(({ place }) => Number(place));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
    expect((await replay(hook)).body).toEqual({ repeated: 100 });
  });

  it('can be sent again if it was interrupted, and repeats the others', async () => {
    const { hook, name } = await create();
    await addDeliveries(name, 1_200, 'delivered');
    await protectRows(service.folder, 'event_deliveries', 'UPDATE', `"place" = ${lastPlace}`);
    expect((await replay(hook)).status).toBe(500);
    await unprotectRows(service.folder, 'event_deliveries');
    expect(await countOf(name, `"state" = 'pending'`)).toBe(500);
    expect((await replay(hook)).body).toEqual({ repeated: 700 });
  });

  it('keeps a delivery behind those of its subject that wait', async () => {
    const { hook, name } = await create();
    await addDeliveries(name, 2 * SUBJECTS, 'delivered');
    const waitingMs = ENDED_MS + 3_600_000;
    await sql(
      `UPDATE "event_deliveries" SET "state" = 'pending', "due_at" = ${waitingMs} WHERE "subscription" = '${name}' AND "place" <= ${lastPlace - SUBJECTS}`,
    );
    expect((await replay(hook)).body).toEqual({ repeated: SUBJECTS });
    expect(await countOf(name, `"due_at" = ${waitingMs}`)).toBe(2 * SUBJECTS);
  });

  it('looks up what waits in the whole index', async () => {
    // The planner of PostgreSQL decides by what is in the table.
    if (onPostgres) return;
    const { hook, name } = await create();
    await addDeliveries(name, 1, 'delivered');
    const spy = jest.spyOn(EntityManager.prototype, 'query');
    await replay(hook);
    const [change] = await changes(spy);
    expect(await planOf(String(change?.text))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^SEARCH event_deliveries .*\(subscription=\? AND place=\?\)$/),
        expect.stringMatching(/^SEARCH last .*\(\(subscription,state,subject,place\)>/),
      ]),
    );
  });
});

it('outcomes of deliveries are recorded without a look at all that wait', async () => {
  // The planner of PostgreSQL decides by what is in the table.
  if (onPostgres) return;
  const { name } = await create();
  await addDeliveries(name, MOST_READ, 'pending');
  const [subscription] = await subscriptionsFor(1, name);
  const spy = jest.spyOn(SqliteQueryRunner.prototype, 'query');
  const result = { state: 'delivered', attempts: 4, error: null } as const;
  const outcomes = Array.from({ length: MOST_READ }, (_, n) => ({ place: lastPlace - n, subject: 'pet:0', result }));
  await service.app.get(Deliveries).record({ ...(subscription as Subscription), name }, outcomes);
  const recording = spy.mock.calls.map(([text]) => text).find((text) => text.startsWith('UPDATE "event_deliveries"'));
  expect(await planOf(String(recording))).toEqual([
    expect.stringMatching(/^SEARCH event_deliveries .*\(subscription=\? AND place=\?\)$/),
  ]);
  expect(await countOf(name, `"state" = 'delivered'`)).toBe(MOST_READ);
});

describe('a webhook with many deliveries', () => {
  it('is removed at once, and leaves no deliveries after the next run of a task', async () => {
    const [removed, kept] = [await create(), await create()];
    for (const { name } of [removed, kept]) await addDeliveries(name, 1_200, 'pending');
    expect((await callHook('DELETE', removed.hook)).status).toBe(204);
    // Nothing waits for the deletion of so many, and nothing more is delivered.
    expect(await countOf(removed.name)).toBe(1_200);
    const deliveries = service.app.get(Deliveries);
    expect([await deliveries.read(removed.name, []), await deliveries.read(kept.name, [])]).toEqual([
      [],
      expect.arrayContaining([expect.objectContaining({ attempts: 3 })]),
    ]);
    await service.app.get(RemovedSubscriptions).run();
    expect([await countOf(removed.name), await countOf(kept.name)]).toEqual([0, 1_200]);
  });
});

describe('events for many subscriptions', () => {
  it('become deliveries some thousand at a time', async () => {
    const many = await subscriptionsFor(200, 'crowd');
    await addEvents(120);
    const spy = jest.spyOn(EntityManager.prototype, 'query');
    const read: string[] = [];
    do read.push(await fanOut(many));
    while (read.at(-1) === 'more');
    const added = spy.mock.calls.filter(([text]) => text.startsWith('INSERT INTO "event_deliveries"'));
    const counts = added.map(([, parameters]) => (JSON.parse(String(parameters)) as unknown[]).length);
    expect(counts).toEqual([10_000, 10_000, 4_000]);
    expect([await countOf('crowd:0'), await countOf('crowd:199')]).toEqual([120, 120]);
    expect(read).toEqual(['more', 'more', 'done']);
  });

  it('become deliveries of those that are ahead, although one that was disabled has much to read', async () => {
    const subscriptions = await subscriptionsFor(3, 'resumed');
    await addEvents(3_000);
    const end = '(SELECT MAX("id") FROM "event_log")';
    await sql(`UPDATE "event_subscriptions" SET "place" = ${end} WHERE "name" IN ('resumed:1', 'resumed:2')`);
    await addEvents(1);
    expect(await fanOut(subscriptions)).toBe('more');
    const counts = await Promise.all(subscriptions.map(({ name }) => countOf(name)));
    expect(counts).toEqual([1_000, 1, 1]);
  });

  it('become deliveries of more subscriptions than a statement can have parameters', async () => {
    const many = await subscriptionsFor(onPostgres ? 66_000 : 33_000, 'mass');
    await addEvents(1);
    expect([await fanOut(many), await fanOut(many)]).toEqual(['more', 'done']);
    const { names } = await service.app.get(Deliveries).due(many.map(({ name }) => name));
    expect(names).toHaveLength(many.length);
  });
});
