// @postgres: transactions run at once, and end in another order.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller, Injectable, Logger, Module } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import {
  runAs,
  ApiError,
  BeforeCommit,
  Database,
  type DomainEvent,
  NewPet,
  PetsModule,
  PetsService,
} from '../../src/index.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { until } from '../support/until.js';

/*
 * Two extensions: one only hears of events after their commit, the other one hears of them in their transactions, keeps
 * notes in a table of the service, and refuses some.
 */

const REFUSED = { code: 'pet_refused', status: 409, meaning: 'The pet is refused.' };
/** Of pets, categories and orders, in the order in which they were told of. */
const heard: DomainEvent[] = [];
const heardOfKeys: DomainEvent[] = [];

@Injectable()
class Later {
  @OnEvent('pet.*')
  @OnEvent('category.*')
  @OnEvent('order.*')
  hear(event: DomainEvent): void {
    heard.push(event);
  }

  @OnEvent('key.*')
  hearOfKey(event: DomainEvent): void {
    heardOfKeys.push(event);
  }

  @OnEvent('pet.created')
  async fail({ after }: DomainEvent<'pet.created'>): Promise<void> {
    await nextTurn();
    if (after.name === 'fails later') throw new Error('on purpose');
  }
}

/** A category stands for a stock that an extension keeps. */
@Controller('unused')
class Within {
  @BeforeCommit('pet.created')
  async note({ after }: DomainEvent<'pet.created'>, manager: EntityManager): Promise<void> {
    if (after.name.startsWith('noted'))
      await manager.query(`INSERT INTO "categories" ("id", "name") VALUES (${after.categoryId}, 'noted')`);
    if (after.name.endsWith('refused')) throw new ApiError(REFUSED, 'No room for the pet.');
    if (after.name === 'altered') Object.assign(after, { name: 'other' });
  }

  @BeforeCommit('pet.removed')
  async removeNote({ before }: DomainEvent<'pet.removed'>, manager: EntityManager): Promise<void> {
    await manager.query(`DELETE FROM "categories" WHERE "id" = ${before.categoryId} AND "name" = 'noted'`);
  }

  @BeforeCommit('order.placed')
  refuse({ after }: DomainEvent<'order.placed'>): void {
    if (after.petId === refusedPetId) throw new ApiError(REFUSED, 'Nobody orders this pet.');
  }
}

@Module({ imports: [PetsModule], providers: [Later] })
class LaterModule {}

@Module({ imports: [PetsModule], controllers: [Within] })
class WithinModule {}

let refusedPetId: number | undefined;

const petOf = async (response: Response) => (await response.json()) as { id: number };
const eventsOf = (name: string) => heard.filter((event) => event.name === name);
const told = (count: number) => until(async () => heard.length >= count);

describe('after the commit', () => {
  let service: TestApp;
  let key: string;
  let keyId: string;

  beforeAll(async () => {
    service = await startApp({ extensions: [{ module: LaterModule }] });
    ({ key, id: keyId } = await operator().createKey({ ...AMPLE, account: 'teller' }));
  });
  afterAll(() => service.stop());
  beforeEach(() => void heard.splice(0));

  const operator = () => service.app.get(KeysService);
  const add = (name: string) => service.post('/v1/pets', key, `{"name":"${name}","categoryId":7,"status":"available"}`);
  const addFish = () => service.post('/v1/categories', key, '{"name":"Fish","id":9007199254740993}');

  it('listeners hear of created, changed and removed pets: before, after and actor', async () => {
    const { id } = await petOf(await add('Bella'));
    const path = `/v1/pets/${id}`;
    await service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: '{"name":"Bello"}' });
    await service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: '{"name":"Bello"}' });
    await service.request(path, { key, method: 'DELETE' });
    await told(3);
    const bella = { id, name: 'Bella', categoryId: '7', status: 'available' };
    const common = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), atMs: expect.any(Number), actor: keyId };
    expect(heard).toEqual([
      { ...common, name: 'pet.created', before: undefined, after: bella },
      { ...common, name: 'pet.changed', before: bella, after: { ...bella, name: 'Bello' } },
      { ...common, name: 'pet.removed', before: { ...bella, name: 'Bello' }, after: undefined },
    ]);
    expect(new Set(heard.map((event) => event.id)).size).toBe(3);
  });

  it('listeners hear of an order and its pet', async () => {
    const { id: petId } = await petOf(await add('Ordered'));
    const order = await petOf(await service.post('/v1/store/orders', key, `{"petId":${petId}}`));
    const path = `/v1/store/orders/${order.id}`;
    for (const status of ['approved', 'delivered'])
      await service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: `{"status":"${status}"}` });
    await told(6);
    expect(heard.map(({ name, after }) => [name, (after as { status?: string }).status])).toEqual([
      ['pet.created', 'available'],
      ['pet.changed', 'pending'],
      ['order.placed', 'placed'],
      ['order.approved', 'approved'],
      ['pet.changed', 'sold'],
      ['order.delivered', 'delivered'],
    ]);
    expect(eventsOf('order.approved')).toMatchObject([
      { actor: keyId, before: { id: order.id, petId, status: 'placed', accountId: expect.any(Number) } },
    ]);
  });

  it('listeners hear of categories', async () => {
    expect((await addFish()).status).toBe(201);
    const path = '/v1/categories/9007199254740993';
    for (const name of ['Fishes', 'Fishes'])
      await service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify({ name }) });
    expect((await addFish()).status).toBe(409);
    await told(2);
    const fish = { id: '9007199254740993', name: 'Fish' };
    expect(heard).toMatchObject([
      { name: 'category.created', actor: keyId, before: undefined, after: fish },
      { name: 'category.changed', actor: keyId, before: fish, after: { ...fish, name: 'Fishes' } },
    ]);
  });

  it('listeners hear of keys without their secrets', async () => {
    const { id, key: secret } = await operator().createKey({ account: 'told', plan: 'pro' });
    await runAs('cli:spec', async () => {
      for (let n = 0; n < 2; n += 1) await operator().change(id, { name: 'Told', paused: true });
      await operator().revoke(id);
    });
    const ofKey = () => heardOfKeys.filter(({ after }) => (after as { id: string }).id === id);
    await until(() => ofKey().length === 3);
    expect(ofKey()).toMatchObject([
      { name: 'key.created', after: { id, account: 'told' } },
      {
        name: 'key.changed',
        actor: 'cli:spec',
        before: expect.not.objectContaining({ pausedAt: expect.anything() }),
        after: { id, name: 'Told', pausedAt: expect.stringMatching(/^\d{4}-/) },
      },
      {
        name: 'key.revoked',
        actor: 'cli:spec',
        before: { id },
        after: { revokedAt: expect.stringMatching(/^\d{4}-/) },
      },
    ]);
    expect(JSON.stringify(heardOfKeys)).not.toContain(secret.slice(20, 30));
  });

  it('listeners hear once of each of many concurrent creates', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `at once ${n}`);
    const statuses = await Promise.all(names.map(async (name) => (await add(name)).status));
    expect(new Set(statuses)).toEqual(new Set([201]));
    await told(100);
    expect(heard.map(({ after }) => (after as { name: string }).name).toSorted()).toEqual(names.toSorted());
  });

  it('listeners hear nothing of failed requests, and once of repeated ones', async () => {
    const failing = service.app.get(Database).write(async () => {
      await service.app.get(PetsService).create({ name: 'undone', categoryId: 1 });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    const again = { key, method: 'POST', headers: { ...JSON_TYPE, 'Idempotency-Key': 'again' } };
    for (let n = 0; n < 2; n += 1)
      await service.request('/v1/pets', { ...again, body: '{"name":"once","categoryId":1}' });
    await add('last');
    await told(2);
    expect(heard.map(({ after }) => (after as { name: string }).name)).toEqual(['once', 'last']);
  });

  it('a failing listener does not affect the response', async () => {
    expect((await add('fails later')).status).toBe(201);
    await told(1);
    expect((await add('after it')).status).toBe(201);
  });
});

describe('in the transaction', () => {
  let service: TestApp;
  let key: string;

  beforeAll(async () => {
    service = await startApp({ extensions: [{ module: WithinModule }, { module: LaterModule }] });
    key = await service.key(AMPLE);
  });
  afterAll(() => service.stop());
  beforeEach(() => void heard.splice(0));

  const add = (name: string, categoryId: number) =>
    service.post('/v1/pets', key, JSON.stringify({ name, categoryId, status: 'available' }));
  const categories = async () => {
    const all = (await (await service.request('/v1/categories?limit=100', { key })).json()) as { id: number }[];
    return all.map(({ id }) => id);
  };

  it('what a listener changes in an event does not change the response', async () => {
    expect(await petOf(await add('altered', 5))).toMatchObject({ name: 'altered' });
    await told(1);
  });

  it("a listener's writes are committed and rolled back with the rest", async () => {
    const { id } = await petOf(await add('noted', 101));
    const refusal = await errorOf(await add('noted, refused', 102));
    expect(refusal).toEqual({ code: 'pet_refused', message: 'No room for the pet.', status: 409 });
    expect(await categories()).toEqual([101]);
    await service.request(`/v1/pets/${id}`, { key, method: 'DELETE' });
    expect(await categories()).toEqual([]);
    await told(2);
    expect(heard.map(({ name }) => name)).toEqual(['pet.created', 'pet.removed']);
  });

  it('a refusal does not affect concurrent creates', async () => {
    const names = Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? `${n} refused` : `${n} kept`));
    const statuses = await Promise.all(names.map(async (name) => (await add(name, 1)).status));
    expect(statuses).toEqual(names.map((name) => (name.endsWith('kept') ? 201 : 409)));
    await told(30);
    expect(heard).toHaveLength(30);
  });

  it('a refused order leaves the pet unchanged', async () => {
    const { id } = await petOf(await add('not for sale', 1));
    refusedPetId = id;
    const refusal = await errorOf(await service.post('/v1/store/orders', key, `{"petId":${id}}`));
    expect(refusal).toMatchObject({ status: 409, code: 'pet_refused' });
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toHaveProperty('status', 'available');
  });
});

describe('a stop of the service', () => {
  const ended: string[] = [];

  @Injectable()
  class Slow {
    constructor(private readonly database: Database) {}

    @OnEvent('pet.created')
    async hear({ after }: DomainEvent<'pet.created'>): Promise<void> {
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      const count = await this.database.query('SELECT COUNT(*) AS "count" FROM "pets"');
      ended.push(`${after.name} ${JSON.stringify(count)}`);
    }
  }

  @Module({ providers: [Slow] })
  class SlowModule {}

  it('waits for running listeners, which can still use the database', async () => {
    const service = await startApp({ extensions: [{ module: SlowModule }] });
    const key = await service.key();
    await service.post('/v1/pets', key, '{"name":"Last","categoryId":1}');
    expect(ended).toEqual([]);
    await service.stop();
    expect(ended).toEqual([expect.stringMatching(/^Last \[\{"count":"?1"?\}\]$/)]);
  });
});

@Injectable()
class Endless {
  constructor(private readonly pets: PetsService) {}

  @OnEvent('pet.created')
  async repeat({ after: { name } }: DomainEvent<'pet.created'>): Promise<void> {
    await this.pets.create(Object.assign(new NewPet(), { name, categoryId: 1n }));
  }
}

@Module({ imports: [PetsModule], providers: [Endless] })
class EndlessModule {}

describe('listeners that do not end', () => {
  it('are named when the service stops, and do not keep it', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const endless = await startApp({ extensions: [{ module: EndlessModule }] });
    await endless.post('/v1/pets', await endless.key(), '{"name":"Bella","categoryId":1}');
    const startMs = performance.now();
    await endless.stop();
    expect(performance.now() - startMs).toBeLessThan(20_000);
    expect(warned.mock.calls).toContainEqual([{ message: 'left running: listeners to pet.created', timeoutMs: 5_000 }]);
    warned.mockRestore();
  });
});
