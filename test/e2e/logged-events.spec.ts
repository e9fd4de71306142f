// @postgres: deliveries are inserted from JSON, and instances take leases.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { type CommittedEvent, OnLoggedEvent } from '../../src/index.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { metricOf } from '../support/metrics.js';
import { until } from '../support/until.js';
import { runDeliveries } from '../../src/programs/run-deliveries.js';
import { FakeClock, startApp } from '../support/app.js';
import { databaseUrl, queryDatabase } from '../support/databases.js';
import { programIo } from '../support/keys-command-line.js';

const clock = new FakeClock();
const heard: CommittedEvent[] = [];
/** Names of pets whose events are refused, with the number of times. */
const refusals = new Map<unknown, number>();
/** What the events of pets with some names wait for. */
const gates = new Map<unknown, Promise<void>>();

@Injectable()
class Ledger {
  @OnLoggedEvent('pet.*', { name: 'ledger' })
  async record(event: CommittedEvent): Promise<void> {
    await gates.get(event.data['name']);
    const left = refusals.get(event.data['name']) ?? 0;
    if (left > 0) {
      refusals.set(event.data['name'], left - 1);
      throw new Error('The ledger is closed.');
    }
    heard.push(event);
  }
}

const EXTENSIONS = [extensionOf({ providers: [Ledger] })];

shareApp({ clock, extensions: EXTENSIONS }, AMPLE);
beforeEach(() => {
  heard.splice(0);
  refusals.clear();
});

const rename = (id: number, name: string) => service.json(`/v1/pets/${id}`, { key, method: 'PATCH', body: { name } });
const deliveries = async (args: readonly string[], url = databaseUrl(service.folder)) => {
  const { io, ran } = programIo({ DATABASE_URL: url });
  return ran(await runDeliveries(args, io));
};
const countOf = (outcome: string) =>
  metricOf(service, `petstore_event_deliveries_total{subscription="ledger",outcome="${outcome}"}`);
const names = () => heard.map(({ data }) => data['name']);

describe('a listener of the log', () => {
  it('gets each event after its commit, as the API returned the resource', async () => {
    const id = await newPet('Ada');
    await until(() => heard.length === 1);
    expect(heard).toMatchObject([
      {
        name: 'pet.created',
        subject: `pet:${id}`,
        data: { id, name: 'Ada', categoryId: 1 },
        json: `{"id":${id},"name":"Ada","categoryId":1}`,
        actor: expect.stringMatching(/^key_/),
        requestId: expect.any(String),
      },
    ]);
  });

  it('gets the events of a subject in order, also if the first is tried again, and those of others meanwhile', async () => {
    refusals.set('Bea', 1);
    const id = await newPet('Bea');
    await rename(id, 'Bert');
    await newPet('Carl');
    await until(() => heard.length === 1);
    expect(names()).toEqual(['Carl']);
    clock.advanceMs(2_000);
    await newPet('Dan');
    await until(() => heard.length === 4);
    expect(names().filter((name) => name !== 'Dan')).toEqual(['Carl', 'Bea', 'Bert']);
  });

  it('gets the events of a subject in order, also if later ones are waiting when the first fails', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('Ida', gate.promise);
    refusals.set('Ida', 1);
    const id = await newPet('Ida');
    await rename(id, 'Ivo');
    const waiting = `SELECT "place" FROM "event_deliveries" WHERE "subject" = 'pet:${id}'`;
    await until(async () => (await queryDatabase(service.folder, waiting)).length === 2);
    gate.resolve();
    await until(() => refusals.get('Ida') === 0);
    await newPet('Jon');
    await until(() => names().includes('Jon'));
    clock.advanceMs(2_000);
    await newPet('Kai');
    await until(() => names().includes('Ivo') && names().includes('Ida'));
    expect(names().filter((name) => name === 'Ida' || name === 'Ivo')).toEqual(['Ida', 'Ivo']);
  });

  it('gets a dead letter again once it is repeated', async () => {
    refusals.set('Eve', 7);
    await newPet('Eve');
    for (let wait = 0; refusals.get('Eve') !== 0; wait += 1) {
      const left = refusals.get('Eve') ?? 0;
      await newPet(`wakes ${wait}`);
      await until(() => (refusals.get('Eve') ?? 0) < left || names().includes(`wakes ${wait}`));
      clock.advanceMs(7_200_000);
    }
    await newPet('last');
    await until(() => names().includes('last'));
    expect(names()).not.toContain('Eve');
    const { stdout } = await deliveries(['failed', 'ledger']);
    expect(stdout).toMatch(/^ledger +pet:\d+ +7 .*The ledger is closed/m);
    const json = await deliveries(['failed', 'ledger', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([{ subscription: 'ledger', state: 'failed', attempts: 7 }]);
    expect((await deliveries(['failed', 'webhook:1'])).stdout).toMatch(/^SUBSCRIPTION .*\n$/);
    expect(await countOf('failed')).toBe(1);
    expect(await countOf('retried')).toBeGreaterThanOrEqual(6);
    expect(await countOf('delivered')).toBeGreaterThanOrEqual(names().length);
    // A failure is tried again, as of a new event.
    refusals.set('Eve', 1);
    expect(await deliveries(['repeat', 'ledger'])).toEqual({
      code: 0,
      stdout: '1 events of ledger will be retried.\n',
      stderr: '',
    });
    await newPet('again');
    await until(() => refusals.get('Eve') === 0);
    clock.advanceMs(2_000);
    await newPet('and again');
    await until(() => names().includes('Eve'));
  });

  it('does not get an event that was deleted before it could be handled, which is a dead letter', async () => {
    refusals.set('Gus', 1);
    const id = await newPet('Gus');
    await until(() => refusals.get('Gus') === 0);
    await queryDatabase(service.folder, `DELETE FROM "event_log" WHERE "subject" = 'pet:${id}' RETURNING "id"`);
    clock.advanceMs(2_000);
    await newPet('Han');
    const ofPet = `SELECT "state", "error" FROM "event_deliveries" WHERE "subject" = 'pet:${id}'`;
    await until(async () => JSON.stringify(await queryDatabase(service.folder, ofPet)).includes('failed'));
    expect(await queryDatabase(service.folder, ofPet)).toEqual([{ state: 'failed', error: 'The event was deleted.' }]);
    expect(names()).not.toContain('Gus');
  });

  it('gets events that were committed while no instance ran', async () => {
    const first = await startApp({ extensions: EXTENSIONS });
    const { folder } = first;
    await first.stop({ keepData: true });
    const other = await startApp({ folder });
    await other.post('/v1/pets', await other.key(AMPLE), { name: 'Fay', categoryId: 1 });
    await other.stop({ keepData: true });
    const later = await startApp({ folder, extensions: EXTENSIONS });
    await until(() => names().includes('Fay'));
    await later.stop();
    expect(names().filter((name) => name === 'Fay')).toHaveLength(1);
  });
});

it.each<[string[], string, number, string]>([
  [[], 'sqlite:x', 2, 'missing command'],
  [['failed', 'ledger', 'other'], 'sqlite:x', 2, 'too many arguments'],
  [['repeat'], 'sqlite:x', 2, "missing required argument 'subscription'"],
  [['failed'], 'sqlite::memory:', 1, 'in-memory'],
  [['failed'], 'mysql://localhost/petstore', 1, 'DATABASE_URL must be'],
])('the program of deliveries refuses %j on %s, and exits with %i', async (args, url, code, clue) => {
  const refused = { code, stdout: '', stderr: expect.stringContaining(clue) };
  expect(await deliveries(args, url)).toEqual(refused);
});

it('listeners of the log that have the same name, or an event that it has not, keep the service from starting', async () => {
  class Twice {
    @OnLoggedEvent('pet.*', { name: 'twice' })
    one(): void {}
    @OnLoggedEvent('order.*', { name: 'twice' })
    other(): void {}
    @OnLoggedEvent('pet.sold' as 'pet.*', { name: 'sold' })
    sold(): void {}
  }
  Injectable()(Twice);
  await expect(startApp({ extensions: [extensionOf({ providers: [Twice] })] })).rejects.toThrow(
    /valid:\n  Twice\.sold: the log has no event pet\.sold\. It has: category\.created, .*\n  Twice\.one, Twice\.other: they have the same name, twice\.$/,
  );
});
