import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Body, Controller, Get, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { ApiExcludeController } from '@nestjs/swagger';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import {
  ApiError,
  BeforeCommit,
  currentActor,
  Database,
  type DomainEvent,
  onCommit,
  PetsModule,
  PetsService,
  Public,
  RequireScope,
  runAs,
} from '../../src/index.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { awaitedAtStop } from '../../src/platform/recurring-task.js';
import { startApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
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
const heardWithin: string[] = [];

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

class ActorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<FastifyRequest>().caller?.keyId === currentActor();
  }
}

/** Takes pets in for other operations. */
@ApiExcludeController()
@Controller('shelter')
class ShelterController {
  constructor(private readonly pets: PetsService) {}

  @Post()
  @RequireScope('pets:write')
  takeIn(@Body() { name }: { name: string }): Promise<object> {
    return this.pets.create({ name, categoryId: 1 });
  }

  @Post('open')
  @Public()
  takeInFromAnybody(): Promise<object> {
    return this.pets.create({ name: 'Stray', categoryId: 1 });
  }

  @Get('actor')
  @RequireScope('pets:read')
  @UseGuards(ActorGuard)
  actor(): object {
    return { actor: currentActor() };
  }
}

@Module({ imports: [PetsModule], controllers: [ShelterController], providers: [Later] })
class LaterModule {}

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

@Injectable()
class Changes {
  @BeforeCommit('pet.changed')
  @BeforeCommit('pet.removed')
  hear({ name, after }: { name: string; after: unknown }): void {
    heardWithin.push(name);
    if (!JSON.stringify([after]).includes('fails after commit')) return;
    onCommit(() => {
      throw new Error('on purpose');
    });
  }
}

@Module({
  imports: [PetsModule],
  controllers: [Within],
  providers: [Changes, { provide: 'alias', useExisting: Changes }],
})
class WithinModule {}

let refusedPetId: number | undefined;

let keyId: string;
let key: string;

async function makeKey(): Promise<void> {
  ({ key, id: keyId } = await service.createKey(AMPLE));
}

async function categories(): Promise<number[]> {
  const { body } = await service.json<{ id: number }[]>('/v1/categories?limit=100', { key });
  return body.map(({ id }) => id);
}

const FISH = '{"name":"Fish","id":9007199254740993}';
const add = (name: string, categoryId = 7) => service.post('/v1/pets', key, { name, categoryId, status: 'available' });
const petOf = async (response: Response) => (await response.json()) as { id: number };
const told = (count: number) => until(() => heard.length >= count);
const namesHeard = () => heard.map(({ after }) => (after as { name: string }).name);
const change = (path: string, body: object) =>
  service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) });

beforeEach(() => {
  heard.splice(0);
  heardWithin.splice(0);
});

describe('after the commit', () => {
  sharePreparedApp({ extensions: [{ module: LaterModule }] }, makeKey);

  it('listeners hear of created, changed and removed pets: before, after and actor', async () => {
    const { id } = await petOf(await add('Bella'));
    const path = `/v1/pets/${id}`;
    for (let n = 0; n < 2; n += 1) await change(path, { name: 'Bello' });
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
    for (const status of ['approved', 'delivered']) await change(path, { status });
    await told(6);
    expect(heard.map(({ name, after }) => [name, (after as { status?: string }).status])).toEqual([
      ['pet.created', 'available'],
      ['pet.changed', 'pending'],
      ['order.placed', 'placed'],
      ['order.approved', 'approved'],
      ['pet.changed', 'sold'],
      ['order.delivered', 'delivered'],
    ]);
    expect(heard.filter(({ name }) => name === 'order.approved')).toMatchObject([
      { actor: keyId, before: { id: order.id, petId, status: 'placed', accountId: expect.any(Number) } },
    ]);
    expect(heard.filter(({ name }) => name === 'pet.changed')).toMatchObject([
      { before: { id: petId, status: 'available' } },
      { before: { id: petId, status: 'pending' } },
    ]);
  });

  it('listeners hear of categories', async () => {
    expect((await service.post('/v1/categories', key, FISH)).status).toBe(201);
    const path = '/v1/categories/9007199254740993';
    for (let n = 0; n < 2; n += 1) await change(path, { name: 'Fishes' });
    expect((await service.post('/v1/categories', key, FISH)).status).toBe(409);
    await told(2);
    const fish = { id: '9007199254740993', name: 'Fish' };
    expect(heard).toMatchObject([
      { name: 'category.created', actor: keyId, before: undefined, after: fish },
      { name: 'category.changed', actor: keyId, before: fish, after: { ...fish, name: 'Fishes' } },
    ]);
  });

  it('listeners hear of keys without their secrets', async () => {
    const operator = service.app.get(KeysService);
    const { id, key: secret } = await operator.createKey({ account: 'told', plan: 'pro' });
    await runAs('cli:spec', async () => {
      for (let n = 0; n < 2; n += 1) await operator.change(id, { name: 'Told', paused: true });
      await operator.revoke(id);
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
    expect(namesHeard().toSorted()).toEqual(names.toSorted());
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
    expect(namesHeard()).toEqual(['once', 'last']);
  });

  it('the actor is the key of the request in which an extension does it, also of requests at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => service.createKey(AMPLE)));
    const requests = keys.flatMap((as) => Array.from({ length: 4 }, () => ({ key: as, body: { name: as.id } })));
    const responses = await Promise.all(requests.map((request) => service.json('/v1/shelter', request)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    await told(requests.length);
    expect(heard.map(({ actor }) => actor)).toEqual(namesHeard());
    expect(new Set(namesHeard()).size).toBe(keys.length);
  });

  it('the actor is unknown on a public route and in background work, unless the work names one', async () => {
    const pets = service.app.get(PetsService, { strict: false });
    expect((await service.request('/v1/shelter/open', { method: 'POST' })).status).toBe(201);
    await pets.create({ name: 'Found', categoryId: 1 });
    await runAs('night-shift', () => pets.create({ name: 'Owl', categoryId: 1 }));
    await told(3);
    expect(heard.map(({ actor }) => actor)).toEqual([undefined, undefined, 'night-shift']);
  });

  it('the actor can be read in guards and handlers', async () => {
    expect(await service.json('/v1/shelter/actor', { key })).toMatchObject({ status: 200, body: { actor: keyId } });
  });

  it('a failing listener does not affect the response', async () => {
    expect((await add('fails later')).status).toBe(201);
    await told(1);
    expect((await add('after it')).status).toBe(201);
  });
});

describe('in the transaction', () => {
  sharePreparedApp({ extensions: [{ module: WithinModule }, { module: LaterModule }] }, makeKey);

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
    const { id } = await petOf(await add('not for sale'));
    refusedPetId = id;
    const refusal = await errorOf(await service.post('/v1/store/orders', key, `{"petId":${id}}`));
    expect(refusal).toMatchObject({ status: 409, code: 'pet_refused' });
    expect(await (await service.request(`/v1/pets/${id}`, { key })).json()).toHaveProperty('status', 'available');
  });

  it('a listener hears once of each kind of event, and a failing callback after the commit changes nothing', async () => {
    const path = `/v1/pets/${(await petOf(await add('Bella', 1))).id}`;
    expect((await change(path, { name: 'fails after commit' })).status).toBe(200);
    expect(await petOf(await service.request(path, { key }))).toHaveProperty('name', 'fails after commit');
    expect((await service.request(path, { key, method: 'DELETE' })).status).toBe(204);
    expect(heardWithin).toEqual(['pet.changed', 'pet.removed']);
  });
});

describe('a stop of the service', () => {
  const ended: string[] = [];
  const release = Promise.withResolvers<void>();

  @Injectable()
  class Slow {
    constructor(
      private readonly database: Database,
      private readonly pets: PetsService,
    ) {}

    @OnEvent('pet.created')
    async hear({ after: { name } }: DomainEvent<'pet.created'>): Promise<void> {
      await release.promise;
      if (name === 'first') await this.pets.create({ name: 'second', categoryId: 1 });
      else await delay(50);
      const rows = await this.database.query<object[]>('SELECT "id" FROM "pets"');
      ended.push(`${name} of ${rows.length}`);
    }
  }

  @Module({ imports: [PetsModule], providers: [Slow] })
  class SlowModule {}

  it('waits as long as for tasks for listeners, also to what they raise, which can still use the database', async () => {
    const stopping = await startApp({ extensions: [{ module: SlowModule }] });
    await stopping.post('/v1/pets', await stopping.key(), { name: 'first', categoryId: 1 });
    const stopped = stopping.stop();
    // What a stop waits for is in this set only while it waits, which is bounded.
    await until(() => [...awaitedAtStop].some((name) => name() === 'listeners to pet.created'));
    expect(ended).toEqual([]);
    release.resolve();
    await stopped;
    expect(ended.toSorted()).toEqual(['first of 2', 'second of 2']);
  });
});
