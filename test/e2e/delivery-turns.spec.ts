// @postgres: deliveries are recorded and leased by other statements.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { currentPrincipal, type Principal } from '../../src/database/events/actor.js';
import { Deliveries } from '../../src/database/events/delivery/deliveries.js';
import { DeliveryMetrics } from '../../src/database/events/delivery/delivery-metrics.js';
import { DeliveryTurn } from '../../src/database/events/delivery/delivery-turn.js';
import { DeliveryWorker } from '../../src/database/events/delivery/delivery-worker.js';
import { EventLog } from '../../src/database/events/event-log.js';
import { RetryLater, type Subscription } from '../../src/database/events/delivery/subscription.js';
import { Subscriptions } from '../../src/database/events/delivery/subscriptions.js';
import { Database } from '../../src/index.js';
import { FakeClock } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';

const clock = new FakeClock();
const FOX = '\u{1F98A}';
/** Types of the events that were handled, and what each one waits for. */
const handled: string[] = [];
let gate: PromiseWithResolvers<void>;
let count = 0;
let name: string;

shareApp({ clock }, AMPLE);
beforeEach(async () => {
  handled.splice(0);
  gate = Promise.withResolvers();
  count += 1;
  name = `slow ${count}`;
  await subscriptions().add(service.app.get(Database).manager, name);
});

const deliveries = () => service.app.get(Deliveries, { strict: false });
const subscriptions = () => service.app.get(Subscriptions, { strict: false });
const worker = () => service.app.get(DeliveryWorker, { strict: false });
const subscription = (rest: Partial<Subscription> = {}): Subscription => ({
  name,
  filter: { types: ['pet.created', 'pet.changed'] },
  atOnce: 4,
  retryAfterMs: [1_000],
  keepsDelivered: true,
  handle: async ({ type }) => {
    handled.push(type);
    await gate.promise;
  },
  ...rest,
});
/** Begins what is due, and ends its time. */
const beginTurn = async (one: Subscription) => {
  await subscriptions().fanOut([one], await service.app.get(EventLog, { strict: false }).end());
  const metrics = new DeliveryMetrics(new Registry());
  const { signal } = new AbortController();
  const turn = new DeliveryTurn(
    one,
    async () => one,
    deliveries(),
    metrics,
    clock,
    () => true,
    signal,
  );
  while (handled.length === 0) await turn.handle(50);
  return turn;
};
const rename = (id: number, to: string) => service.json(`/v1/pets/${id}`, { key, method: 'PATCH', body: { name: to } });
const recorded = async () => {
  const columns = '"state", "attempts", "error"';
  const sql = `SELECT ${columns} FROM "event_deliveries" WHERE "subscription" = '${name}' ORDER BY "place"`;
  const rows = await queryDatabase<{ attempts: string | number }>(service.folder, sql);
  return rows.map((row) => ({ ...row, attempts: Number(row.attempts) }));
};
const renameTable = (from: string, to: string) =>
  service.app.get(Database).query(`ALTER TABLE "${from}" RENAME TO "${to}"`);
/** Nothing can be read or recorded meanwhile. */
const withoutDeliveries = async (work: () => Promise<void>) => {
  await renameTable('event_deliveries', 'moved_deliveries');
  await work().finally(() => renameTable('moved_deliveries', 'event_deliveries'));
};

describe('a turn of deliveries', () => {
  it('that ends begins no further event of a subject, which stays due', async () => {
    const id = await newPet();
    for (const to of ['Bea', 'Cleo']) await rename(id, to);
    const turn = await beginTurn(subscription());
    const ended = turn.end();
    gate.resolve();
    await ended;
    expect(handled).toEqual(['pet.created']);
    expect((await recorded()).map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
    expect((await deliveries().read(name, [])).map(({ attempts }) => attempts)).toEqual([0, 0]);
  });

  it('is over in time, also if what waits finds no room, so that its subscription is read again', async () => {
    for (let pets = 0; pets < 2; pets += 1) await newPet();
    const turn = await beginTurn(subscription({ atOnce: 1 }));
    expect(await turn.handle(1)).toBe(true);
    gate.resolve();
    await turn.end();
    expect(handled).toHaveLength(1);
  });

  it('records what became of deliveries later, if it could not at once', async () => {
    await newPet();
    const turn = await beginTurn(subscription());
    await withoutDeliveries(async () => {
      gate.resolve();
      await expect(turn.end()).rejects.toThrow('event_deliveries');
    });
    await turn.end();
    expect(handled).toHaveLength(1);
    expect(await recorded()).toEqual([{ state: 'delivered', attempts: 1, error: null }]);
  });

  it.each<[string, string, () => unknown, 'handle' | 'refusalOf']>([
    ['an object without a prototype', '[Object: null prototype] {}', () => Object.create(null), 'handle'],
    ['a message that is no text', '{ at: 7 }', () => Object.assign(new Error(), { message: { at: 7 } }), 'handle'],
    [
      'a message that a database cannot keep as it is',
      `a\uFFFDb\uFFFD ${FOX.repeat(497)}\uFFFD`,
      () => new Error(`a\0b\uD83D ${FOX.repeat(1_000)}`),
      'handle',
    ],
    ['a wait that is no number', 'busy', () => new RetryLater('busy', NaN), 'handle'],
    ['a wait without end', 'busy', () => new RetryLater('busy', Infinity), 'handle'],
    ['an error where it asks whether it is refused', 'closed', () => new Error('closed'), 'refusalOf'],
  ])('counts an attempt that fails with %s', async (_, error, thrown, place) => {
    const fail = () => {
      handled.push(place);
      throw thrown();
    };
    const failing = subscription(place === 'handle' ? { handle: fail } : { refusalOf: fail });
    await newPet();
    await (await beginTurn(failing)).end();
    expect(await recorded()).toEqual([{ state: 'pending', attempts: 1, error }]);
  });

  it('leaves its lease to others also if nothing can be recorded at its end', async () => {
    const slow = subscription({ atOnce: 1 });
    worker().addSource({ subscriptions: () => [slow] });
    await newPet();
    await until(() => handled.length === 1);
    await withoutDeliveries(async () => {
      gate.resolve();
      const sql = `SELECT "leased_until" AS "ms" FROM "event_subscriptions" WHERE "name" = '${name}'`;
      const isFree = async () => {
        const [lease] = await queryDatabase<{ ms: string | number }>(service.folder, sql);
        return Number(lease?.ms) <= clock.nowMs();
      };
      await until(isFree);
      expect(await isFree()).toBe(true);
    });
  });

  it('begins with its subscription as it is then, not as it was when something was found due', async () => {
    const states: string[] = [];
    const inState = (state: string) => subscription({ handle: async () => void states.push(state) });
    const now = inState('now');
    let current: Subscription = {
      ...inState('before'),
      // Asked for when there is something due, to find room.
      get isFailing() {
        current = now;
        return false;
      },
    };
    worker().addSource({ subscriptions: () => [current] });
    await newPet();
    await until(() => states.length > 0);
    expect(states).toEqual(['now']);
  });

  it('acts for nobody, or for the account that the subscription is of, but not for who changed something', async () => {
    const ofWorker: Principal[] = [];
    const ofHandler: Principal[] = [];
    const own = subscription({
      filter: { types: ['pet.changed'], accountId: 77 },
      handle: async () => void ofHandler.push(currentPrincipal()),
    });
    const source = () => {
      ofWorker.push(currentPrincipal());
      return [own];
    };
    worker().addSource({ subscriptions: source });
    await rename(await newPet(), 'Bea');
    await until(() => ofHandler.length > 0);
    expect(ofHandler[0]).toEqual({ actor: name, accountId: 77 });
    expect(ofWorker).toEqual(ofWorker.map(() => ({ actor: undefined, accountId: undefined })));
  });
});
