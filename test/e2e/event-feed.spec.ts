// @postgres: places in the log are assigned before the commit.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiError, type Change, Database, Events } from '../../src/index.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { until, within } from '../support/until.js';

declare module '../../src/index.js' {
  interface EventMap {
    'parcel.sent': Change<undefined, { readonly number: bigint }>;
  }
}

interface Event {
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly name?: string };
}

const FULL = {
  ...AMPLE,
  scopes: ['pets:read', 'pets:write', 'orders:read', 'orders:write', 'events:read', 'keys:manage'],
};
let stranger: string;
/** Where the log ended when the test began. */
let start: string;

shareApp({}, FULL, async () => {
  stranger = await service.key(FULL);
});

const nextOf = (headers: Headers) =>
  /^<[^>]*[?&]after=([\w-]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
const list = (query: string, as = key, headers = {}) =>
  service.json<Event[]>(`/v1/events?${query}`, { key: as, headers });
/** For events that no operation raises. */
const PET = { id: 1, name: 'Fay', categoryId: '1', status: null };
const log = () => service.app.get(Events, { strict: false });
const canWait = async () => (await list('after=latest', key, { Prefer: 'wait=0' })).headers.has('preference-applied');
const typesOf = ({ body }: { readonly body: readonly Event[] }) => body.map(({ type }) => type);

beforeEach(async () => {
  start = nextOf((await list('after=latest')).headers);
});

describe('events', () => {
  it('are listed in the order of the changes, with the bytes that the API returned', async () => {
    const created = await service.post('/v1/pets', key, '{"name":"Ada","categoryId":9223372036854775807}');
    const json = await created.text();
    const { id } = JSON.parse(json) as { id: number };
    await service.json(`/v1/pets/${id}`, { key, method: 'PATCH', body: { name: 'Bea' } });
    await service.request(`/v1/pets/${id}`, { key, method: 'DELETE' });
    const response = await service.request(`/v1/events?after=${start}`, { key });
    const text = await response.text();
    expect(text).toContain(`"subject":"pet:${id}","createdAt":`);
    expect(text).toContain(`"data":${json}`);
    expect((JSON.parse(text) as Event[]).map(({ type }) => type)).toEqual([
      'pet.created',
      'pet.changed',
      'pet.removed',
    ]);
  });

  it('tell who made a change, and in which request, to the own account only', async () => {
    const pet = { name: 'Cleo', categoryId: 1 };
    const { status } = await service.json('/v1/pets', { key, headers: { 'X-Request-Id': 'mine' }, body: pet });
    expect(status).toBe(201);
    const [own] = (await list(`after=${start}`)).body;
    const [others] = (await list(`after=${start}`, stranger)).body;
    expect(own).toMatchObject({ requestId: 'mine', actor: expect.stringMatching(/^key_/) });
    expect(others).toEqual({ ...own, requestId: undefined, actor: undefined });
  });

  it('of orders and keys are for their account', async () => {
    const id = await newPet('Dora');
    const pet = `/v1/pets/${id}`;
    await service.json(pet, { key, method: 'PATCH', body: { status: 'available' } });
    const { body: order } = await service.json<{ id: number }>('/v1/store/orders', { key, body: { petId: id } });
    await service.json('/v1/keys', { key, body: { scopes: ['pets:read'] } });
    const shared = ['pet.created', 'pet.changed', 'pet.changed'];
    expect(typesOf(await list(`after=${start}`))).toEqual([...shared, 'order.placed', 'key.created']);
    expect(typesOf(await list(`after=${start}`, stranger))).toEqual(shared);
    for (const status of ['approved', 'delivered'])
      await service.json(`/v1/store/orders/${order.id}`, { key, method: 'PATCH', body: { status } });
    const all = ['order.placed', 'order.approved', 'order.delivered'];
    expect(typesOf(await list(`subject=order:${order.id}`))).toEqual(all);
    expect(typesOf(await list(`subject=order:${order.id}`, stranger))).toEqual([]);
  });

  it('are shown to a key with the scope of the resource', async () => {
    const reader = await service.key({ scopes: ['events:read', 'orders:read'] });
    await newPet('Emma');
    expect((await list(`after=${start}`, reader)).body).toEqual([]);
    expect((await list(`after=${start}`, await service.key({ scopes: ['pets:read'] }))).status).toBe(403);
  });

  it('of a key that is rotated say so of both keys', async () => {
    const { body } = await service.json<{ id: string }>('/v1/keys', { key, body: { scopes: ['pets:read'] } });
    await service.json(`/v1/keys/${body.id}/rotate`, { key, body: { overlapSeconds: 60 } });
    const { body: events } = await list(`after=${start}&types=key.*`);
    expect(events.map(({ type }) => type)).toEqual(['key.created', 'key.created', 'key.changed']);
    expect(JSON.stringify(events)).not.toContain('psk_test_0');
    expect(events[2]?.subject).toBe(`key:${body.id}`);
  });

  it('of what was rolled back do not exist', async () => {
    const raised = service.app.get(Database).write(async (manager) => {
      await log().raise(manager, 'pet.removed', () => ({ before: PET, after: undefined }));
      throw new Error('no');
    });
    await expect(raised).rejects.toThrow('no');
    expect((await list(`after=${start}`)).body).toEqual([]);
  });

  it('of an extension are logged if it declares them', async () => {
    const sent = { before: undefined, after: { number: 5n + 2n ** 53n } };
    const raise = () => service.app.get(Database).write((manager) => log().raise(manager, 'parcel.sent', () => sent));
    await raise();
    log().declare<'parcel.sent'>({
      types: { 'parcel.sent': 'A parcel was sent.' },
      scope: 'orders:read',
      subject: ({ number }) => `parcel:${number}`,
      data: ({ number }) => ({ number }),
      schema: Object,
      example: { subject: 'parcel:1', data: { number: 1 } },
    });
    await raise();
    const { body } = await list(`after=${start}`);
    expect(body).toMatchObject([
      { type: 'parcel.sent', subject: 'parcel:9007199254740997', data: { number: 9007199254740997n } },
    ]);
  });
});

describe('the feed', () => {
  it('is read page by page without a gap, by type and by subject', async () => {
    const pets: number[] = [];
    for (const name of ['Gil', 'Hal', 'Ivy']) pets.push(await newPet(name));
    await service.json(`/v1/pets/${pets[1]}`, { key, method: 'PATCH', body: { name: 'Hans' } });
    const names: (string | undefined)[] = [];
    let after = start;
    for (let page = 0; page < 3; page += 1) {
      const { body, headers } = await list(`after=${after}&limit=2&types=pet.*`);
      names.push(...body.map(({ data }) => data.name));
      after = nextOf(headers);
    }
    expect(names).toEqual(['Gil', 'Hal', 'Ivy', 'Hans']);
    expect(typesOf(await list(`after=${start}&types=pet.changed,order.placed`))).toEqual(['pet.changed']);
    expect(typesOf(await list(`after=${start}&subject=pet:${pets[1]}`))).toEqual(['pet.created', 'pet.changed']);
  });

  it('shows no event while an earlier one may still appear', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const slow = service.app.get(Database).write(async (manager) => {
      await log().raise(manager, 'pet.changed', () => ({ before: PET, after: PET }));
      open();
      await ended;
    });
    await opened;
    // On SQLite it waits for the other write.
    const created = newPet('Kim');
    await Promise.race([created, delay(100)]);
    const { body, headers } = await list(`after=${start}`);
    end();
    await Promise.all([slow, created]);
    expect(body).toEqual([]);
    expect(typesOf(await list(`after=${nextOf(headers)}`))).toEqual(['pet.changed', 'pet.created']);
  });

  it('holds a response with Prefer: wait until there is an event', async () => {
    const waiting = list(`after=${start}`, key, { Prefer: 'wait=20' });
    await delay(50);
    await newPet('Lea');
    const { body, headers } = await waiting;
    expect(body).toHaveLength(1);
    expect(headers.get('preference-applied')).toBe('wait=20');
    const none = await list(`after=${nextOf(headers)}`, key, { Prefer: 'wait=0' });
    expect(none.body).toEqual([]);
  });

  it.each([
    ['revoked', 'DELETE', undefined],
    ['narrowed', 'PATCH', { scopes: ['events:read', 'orders:read'] }],
  ])('holds back an event from a response whose key was %s while it waited', async (_, method, body) => {
    const issued = { key, body: { scopes: ['events:read', 'orders:read', 'pets:read'] } };
    const { body: other } = await service.json<{ id: string; key: string }>('/v1/keys', issued);
    const waiting = list(`after=${start}&types=order.*,pet.*`, other.key, { Prefer: 'wait=20' });
    await delay(50);
    const path = `/v1/keys/${other.id}`;
    await (body === undefined ? service.request(path, { key, method }) : service.json(path, { key, method, body }));
    await newPet('Zoe');
    const { status, body: events, headers } = await waiting;
    expect([status, events]).toEqual([200, []]);
    expect((await list(`after=${nextOf(headers)}&types=pet.*`)).body).toHaveLength(1);
  });

  it('lets five responses of a key wait, and returns others at once', async () => {
    const all = Array.from({ length: 8 }, () => list(`after=${start}`, key, { Prefer: 'wait=30' }));
    let atOnce = 0;
    const three = new Promise<void>((resolve) => {
      for (const one of all)
        void one.then(({ headers }) => {
          if (!headers.has('preference-applied')) atOnce += 1;
          if (atOnce === 3) resolve();
        });
    });
    await three;
    expect((await list('after=latest', stranger, { Prefer: 'wait=0' })).headers.has('preference-applied')).toBe(true);
    await newPet('Mia');
    const lengths = (await Promise.all(all)).map(({ body }) => body.length);
    expect(lengths.toSorted()).toEqual([0, 0, 0, 1, 1, 1, 1, 1]);
  });

  it.each([
    ['wait=60', 'wait=30'],
    ['Wait = "5"', 'wait=5'],
    ['respond-async, wait=5; x=1', 'wait=5'],
    ['await=5', null],
    ['wait=-1', null],
  ])('reads Prefer: %s as RFC 7240 says, and waits for half a minute at most', async (prefer, applied) => {
    await newPet('Nia');
    const { body, headers } = await list(`after=${start}`, key, { Prefer: prefer });
    expect([body.length, headers.get('preference-applied')]).toEqual([1, applied]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('ends the wait of a client that has gone, so that another response can wait', async () => {
    const gone = new AbortController();
    const headers = { Prefer: 'wait=30' };
    const waiting = Array.from({ length: 5 }, () =>
      service.request(`/v1/events?after=${start}`, { key, headers, signal: gone.signal }),
    );
    await until(async () => !(await canWait()));
    gone.abort();
    await Promise.allSettled(waiting);
    expect(await within(25_000, canWait, Boolean)).toBe(true);
  });

  it.each([
    ['after=nonsense', 'after must be latest, or as in the Link header of the previous page.'],
    ['types=pets', 'types must be event types separated by commas, such as pet.*,order.placed'],
    [
      'types=cat.created',
      'types must not have "cat.created", which stands for no type. Types are category.created, category.changed, ',
    ],
    ['types=pet.*,pets.*', 'types must not have "pets.*"'],
    ['subject=7', 'subject must be a subject of events, such as pet:7'],
    [`subject=pet:${'7'.repeat(200)}`, 'subject must be a subject of events'],
    [`after=${'MQ'.repeat(51)}`, 'after must be latest, or as in the Link header'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.json<ApiError>(`/v1/events?${query}`, { key });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
