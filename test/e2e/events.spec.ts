import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { ApiExcludeController } from '@nestjs/swagger';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import {
  currentActor,
  Database,
  type DomainEvent,
  PetsModule,
  PetsService,
  Public,
  RequireScope,
  runAs,
} from '../../src/index.js';
import { KeysService } from '../../src/accounts/keys/keys.service.js';
import { awaitedAtStop } from '../../src/platform/recurring-task.js';
import { startApp } from '../support/app.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { until } from '../support/until.js';

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
  takeIn(@Body('name') name: string): Promise<object> {
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

let keyId: string;
let key: string;

const FISH = '{"name":"Fish","id":9007199254740993}';
const add = (name: string, categoryId = 7) => service.post('/v1/pets', key, { name, categoryId, status: 'available' });
const petOf = async (response: Response) => (await response.json()) as { id: number };
const told = (count: number) => until(() => heard.length >= count);
const namesHeard = () => heard.map(({ after }) => (after as { name: string }).name);
const change = (path: string, body: object) => service.json(path, { key, method: 'PATCH', body });

beforeEach(() => void heard.splice(0));

describe('after the commit', () => {
  const extension = extensionOf({ imports: [PetsModule], controllers: [ShelterController], providers: [Later] });
  sharePreparedApp({ extensions: [extension] }, async () => {
    ({ key, id: keyId } = await service.createKey(AMPLE));
  });

  it('listeners hear of created, changed and removed pets: before, after and actor', async () => {
    const { id } = await petOf(await add('Bella'));
    const path = `/v1/pets/${id}`;
    for (let n = 0; n < 2; n += 1) await change(path, { name: 'Bello' });
    await service.request(path, { key, method: 'DELETE' });
    await told(3);
    const bella = { id, name: 'Bella', categoryId: '7', status: 'available' };
    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      atMs: expect.any(Number),
      actor: keyId,
      accountId: expect.any(Number),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    };
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

  it('listeners hear nothing of failed requests, and once of repeated ones', async () => {
    const failing = service.app.get(Database).write(async () => {
      await service.app.get(PetsService).create({ name: 'undone', categoryId: 1 });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    const request = { key, headers: { 'Idempotency-Key': 'again' }, body: { name: 'once', categoryId: 1 } };
    for (let n = 0; n < 2; n += 1) await service.json('/v1/pets', request);
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

  it('waits as long as for tasks for listeners, also to what they raise, which can still use the database', async () => {
    const stopping = await startApp({ extensions: [extensionOf({ imports: [PetsModule], providers: [Slow] })] });
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
