// @postgres: transactions at once read what the other one changes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { EntityManager } from 'typeorm';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { Database } from '../../src/database/database.js';
import { ApiError, BeforeCommit, currentPrincipal, type DomainEvent, type EventOf, NOBODY } from '../../src/index.js';
import { PetsModule, PetsService, type Principal, runFor } from '../../src/index.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeFolder, onPostgres, queryDatabase, removeDatabase } from '../support/databases.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { type Ask, ask, JSON_TYPE } from '../support/http.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';
import { until } from '../support/until.js';

/** SQLite is for one instance; several share a database on PostgreSQL. */
const INSTANCES = onPostgres ? 3 : 1;

const folder = makeFolder();
const instances: TestApp[] = [];
let first: TestApp;
let key: string;

beforeAll(async () => {
  for (let n = 0; n < INSTANCES; n += 1) instances.push(await startApp({ folder }));
  [first] = instances as [TestApp];
  key = await first.key({ ...AMPLE, scopes: SCOPES });
});
afterAll(async () => {
  for (const instance of instances) await instance.stop({ keepData: true });
  await removeDatabase(folder);
});

/** Sends this many requests at once, to the instances in turn; what came back, by status. */
async function atOnce(count: number, path: string, body: string, headers: Record<string, string> = {}) {
  const ports = instances.map(({ port }) => port);
  const responses = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const request: Ask = { method: 'POST', path, key, body, headers: { ...JSON_TYPE, ...headers } };
      const response = await ask(ports[index % ports.length] ?? 0, request);
      const lasting = ['location', 'etag', 'cache-control'].map((name) => response.headers.get(name));
      return { status: response.status, text: await response.text(), lasting };
    }),
  );
  return Map.groupBy(responses, ({ status }) => status);
}

const codesOf = (responses: readonly { text: string }[] = []) =>
  new Set(responses.map(({ text }) => (JSON.parse(text) as { code: string }).code));
const count = async (table: string) => (await queryDatabase(folder, `SELECT * FROM "${table}"`)).length;

async function addPet(status = 'available'): Promise<number> {
  const pet = { name: 'Bella', categoryId: 1, status };
  return (await first.json<{ id: number }>('/v1/pets', { key, body: pet })).body.id;
}

describe('pets that arrive faster than they can be written', () => {
  it('each have the identifier in their response, and are heard of once', async () => {
    const pets = instances.map(({ app }) => app.get(PetsService));
    const names = Array.from({ length: 200 }, (_, n) => `one of many ${n}`);
    const heard: string[] = [];
    const hear = ({ after }: { after: { name: string } }) => void heard.push(after.name);
    for (const { app } of instances) app.get(EventEmitter2).on('pet.created', hear);
    const added = await Promise.all(names.map((name, n) => pets[n % pets.length]?.create({ name, categoryId: 1 })));
    expect(added.map((pet) => pet?.name)).toEqual(names);
    await until(() => heard.length >= names.length);
    for (const { app } of instances) app.get(EventEmitter2).off('pet.created', hear);
    expect(heard.toSorted()).toEqual(names.toSorted());
    const select = `SELECT "id", "name" FROM "pets" WHERE "name" LIKE 'one of many %'`;
    const stored = await queryDatabase<{ id: number | string; name: string }>(folder, select);
    const idByName = new Map(stored.map(({ id, name }) => [name, Number(id)]));
    expect(new Map(added.map((pet) => [pet?.name, pet?.id]))).toEqual(idByName);
  });

  it('are all created, by fewer statements than pets', async () => {
    const writes = jest.spyOn(first.app.get(PetsRepository), 'insert');
    const before = await count('pets');
    const added: Promise<unknown>[] = [];
    for (let n = 0; n < 300; n += 1) {
      added.push(first.app.get(PetsService).create({ name: `pet ${n}`, categoryId: 1 }));
      if (n % 3 === 0) await nextTurn();
    }
    await Promise.all(added);
    const outcomes = await Promise.allSettled(writes.mock.results.map(({ value }) => value));
    expect(await count('pets')).toBe(before + 300);
    expect(outcomes.length).toBeGreaterThan(1);
    expect(outcomes.length).toBeLessThan(300);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  });
});

it('concurrent orders for one pet return 201 once and 409 for all others', async () => {
  const responses = await atOnce(50, '/v1/store/orders', `{"petId":${await addPet()}}`);
  const counts = [...responses].map(([status, { length }]) => [status, length]);
  expect(Object.fromEntries(counts)).toEqual({ 201: 1, 409: 49 });
  expect(codesOf(responses.get(409))).toEqual(new Set(['pet_not_available']));
  expect(await count('orders')).toBe(1);
});

describe('concurrent requests with one Idempotency-Key', () => {
  it.each([
    ['pets', '/v1/pets', async () => '{"name":"Nala","categoryId":2}'],
    ['orders', '/v1/store/orders', async () => `{"petId":${await addPet()}}`],
    ['categories', '/v1/categories', async () => '{"name":"Dogs"}'],
  ])('create one record in %s; all return its response or 409', async (table, path, body) => {
    const sent = await body();
    const before = await count(table);
    const responses = await atOnce(40, path, sent, { 'Idempotency-Key': `one ${table}` });
    expect(await count(table)).toBe(before + 1);
    const done = responses.get(201) ?? [];
    const told = responses.get(409) ?? [];
    expect(done.length).toBeGreaterThan(0);
    expect(done.length + told.length).toBe(40);
    expect(new Set(done.map((response) => JSON.stringify(response))).size).toBe(1);
    expect([...codesOf(told)].filter((code) => code !== 'idempotency_key_in_use')).toEqual([]);
    const late = await atOnce(INSTANCES, path, sent, { 'Idempotency-Key': `one ${table}` });
    expect(late.get(201)?.map(({ text }) => text)).toEqual(Array.from({ length: INSTANCES }, () => done[0]?.text));
    expect(await count(table)).toBe(before + 1);
  });

  it('with different bodies are processed once, and the others are refused', async () => {
    const before = await count('pets');
    const bodies = ['{"name":"One","categoryId":1}', '{"name":"Two","categoryId":1}'];
    const both = await Promise.all(bodies.map((body) => atOnce(20, '/v1/pets', body, { 'Idempotency-Key': 'torn' })));
    expect(new Set(both.flatMap((responses) => responses.get(201) ?? []).map(({ text }) => text)).size).toBe(1);
    const late = await Promise.all(bodies.map((body) => atOnce(1, '/v1/pets', body, { 'Idempotency-Key': 'torn' })));
    expect(late.flatMap((responses) => [...responses.keys()]).toSorted()).toEqual([201, 422]);
    expect(await count('pets')).toBe(before + 1);
  });
});

type Method = 'reserve' | 'release' | 'sell';

/** Each in a transaction of its own. */
const order = (method: Method, petId: number, after: () => Promise<void> = async () => {}) =>
  first.app.get(Database).write(async () => {
    await first.app.get(PetsService)[method](String(petId));
    await after();
  });
const statusOf = async (petId: number) =>
  (await first.json<{ status?: string }>(`/v1/pets/${petId}`, { key })).body.status;

describe('a pet that an extension reserves', () => {
  it('stays available when the transaction fails', async () => {
    const petId = await addPet();
    await expect(order('reserve', petId, () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    expect(await statusOf(petId)).toBe('available');
  });

  it('must exist', async () => {
    await expect(order('reserve', 404_404)).rejects.toMatchObject({ code: 'pet_not_found' });
  });

  it('must be reserved to be sold; released, one that is not stays as it is', async () => {
    const petId = await addPet('pending');
    await order('release', petId);
    await expect(order('sell', petId)).rejects.toThrow(`The pet ${petId} is no longer reserved`);
    expect(await statusOf(petId)).toBe('pending');
  });
});

const REFUSED = { code: 'pet_refused', status: 409, meaning: 'The pet is refused.' };
/** The names of pets, by the calls of the listener. */
const batches: string[][] = [];
/** By the name of a pet, for whom its listener acted. */
const principals = new Map<string | undefined, Principal>();
/** The pattern of a listener, and the name of the event. */
const heard: string[] = [];

@Injectable()
class Ledger {
  @BeforeCommit('pet.created', { batch: true })
  async record(events: readonly DomainEvent<'pet.created'>[], manager: EntityManager): Promise<void> {
    const names = events.map(({ after }) => after.name);
    batches.push(names);
    principals.set('batch', currentPrincipal());
    await manager.insert(
      NoteEntity,
      names.map((text) => ({ text })),
    );
    if (names.includes('refused')) throw new ApiError(REFUSED, 'The ledger refuses the pet.');
  }

  @BeforeCommit('pet.*')
  hearOfPets({ name, after }: EventOf<'pet.*'>): void {
    heard.push(`pet.* ${name}`);
    principals.set(after?.name, currentPrincipal());
  }

  @BeforeCommit('*')
  hearOfAll({ name }: EventOf<'*'>): void {
    heard.push(`* ${name}`);
  }
}

@Module({ imports: [PetsModule], providers: [Ledger] })
class LedgerModule {}

const noted = async () => (await notesOf(service).find()).map(({ text }) => text).toSorted();

describe('a listener in the transaction of pets', () => {
  let ownKey: string;
  let pets: PetsService;
  sharePreparedApp({ extensions: [NOTES, { module: LedgerModule }] }, async () => {
    ownKey = await service.key(AMPLE);
    pets = service.app.get(PetsService);
  });
  beforeEach(async () => {
    for (const told of [batches, heard]) told.splice(0);
    await notesOf(service).clear();
  });

  const create = (name: string) => service.post('/v1/pets', ownKey, { name, categoryId: 1 });
  const catalogue = async () => {
    const { body } = await service.json<{ name: string }[]>('/v1/pets?limit=100', { key: ownKey });
    return body.map(({ name }) => name);
  };

  it('is called with all that are created at the same time, and writes with them', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `pet ${n}`).toSorted();
    await Promise.all(names.map((name) => pets.create({ name, categoryId: 1 })));
    expect(batches.flat().toSorted()).toEqual(names);
    expect(batches.length).toBeLessThan(5);
    expect(await noted()).toEqual(names);
  });

  it('acts for the creator of each, and for nobody if it is called with several', async () => {
    const creators = Array.from({ length: 5 }, (_, n) => ({ actor: `key ${n}`, accountId: 1_000 + n }));
    await Promise.all(
      creators.map((creator) => runFor(creator, () => pets.create({ name: creator.actor, categoryId: 1 }))),
    );
    expect(batches[0]).toEqual(creators.map(({ actor }) => actor));
    expect(creators.map(({ actor }) => principals.get(actor))).toEqual(creators);
    expect(principals.get('batch')).toEqual(NOBODY);
  });

  it('refuses one of them without the others', async () => {
    const others = Array.from({ length: 10 }, (_, n) => `other ${n}`);
    const [refused, ...kept] = await Promise.allSettled(
      ['refused', ...others].map((name) => pets.create({ name, categoryId: 1 })),
    );
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: 'The ledger refuses the pet.' } });
    expect(kept.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    expect(batches[0]).toEqual(['refused', ...others]);
    expect(await noted()).toEqual(others);
    expect(await catalogue()).toEqual(expect.arrayContaining(others));
    expect(await catalogue()).not.toContain('refused');
  });

  it('hears of all events of a feature, or of all', async () => {
    const { id } = (await (await create('one')).json()) as { id: number };
    expect((await service.request(`/v1/pets/${id}`, { method: 'DELETE', key: ownKey })).status).toBe(204);
    expect((await service.post('/v1/categories', await service.key(AMPLE), { name: 'Cats' })).status).toBe(201);
    expect(heard.filter((line) => line.startsWith('pet.*'))).toEqual(['pet.* pet.created', 'pet.* pet.removed']);
    expect(heard).toEqual(expect.arrayContaining(['* pet.created', '* key.created', '* category.created']));
  });
});
