// @postgres: deliveries are claimed from another table.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DeliveryWorker } from '../../src/database/events/delivery/delivery-worker.js';
import { ActiveKeys, Database, Events, EventsModule } from '../../src/index.js';
import { WebhookDeliveries } from '../../src/webhooks/webhook-deliveries.js';
import { FakeClock, startApp, type TestApp, type TestAppOptions } from '../support/app.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE } from '../support/temporary.js';
import { until } from '../support/until.js';
import { type Delivery, WebhookReceiver } from '../support/webhook-receiver.js';

@Injectable()
class Toys {
  constructor(events: Events) {
    const toy = { subject: 'toy:1', data: {} };
    const types = { 'toy.lost': 'A toy was lost.' } as object as Record<'pet.created', string>;
    events.declare({
      types,
      scope: 'pets:read',
      subject: () => toy.subject,
      data: () => toy.data,
      schema: Toys,
      example: toy,
    });
  }
}

const READER = ['pets:read', 'webhooks:manage', 'keys:manage', 'events:read'];
const FULL = { ...AMPLE, scopes: [...READER, 'categories:read'] };
const WRITER = { ...AMPLE, account: 'writers', scopes: ['pets:write', 'categories:write', 'pets:read'] };
const clock = new FakeClock(Date.now());
const receiver = new WebhookReceiver();
const { responses } = receiver;
let service: TestApp;
let writer: string;
let made = 0;

const createHook = async (key: string, url: string, types: readonly string[]) =>
  (await service.json<{ id: number }>('/v1/webhooks', { key, body: { url, types } })).body.id;
const patch = (key: string, path: string, body: object) => service.json(path, { key, method: 'PATCH', body });
const createPet = (headers: Record<string, string> = {}) =>
  service.json('/v1/pets', { key: writer, headers, body: { name: 'Ada', categoryId: 1 } });
const createCategory = () => {
  made += 1;
  return service.json('/v1/categories', { key: writer, body: { name: `Kind ${made}` } });
};
const deliveriesOf = async (key: string, id: number) =>
  (await service.json<Delivery[]>(`/v1/webhooks/${id}/deliveries`, { key })).body;
const stateOf = async (key: string, id: number) =>
  (await service.json<{ state: string }>(`/v1/webhooks/${id}`, { key })).body.state;
const restart = async (options: TestAppOptions = {}) => {
  await service.stop({ keepData: true });
  service = await startApp({ clock, env: receiver.env, folder: service.folder, ...options });
};
const deliver = () => service.app.get(DeliveryWorker, { strict: false }).wake();
const typesAt = (path: string) => receiver.at(path).map(({ body }) => (JSON.parse(body) as { type: string }).type);

beforeAll(async () => {
  await receiver.start();
  service = await startApp({ clock, env: receiver.env });
  writer = await service.key(WRITER);
});
afterAll(async () => {
  await service.stop();
  receiver.stop();
});
beforeEach(() => receiver.reset());

describe('a webhook', () => {
  it.each<[string, (key: { id: string; key: string }, hook: number, isWide: boolean) => Promise<object>]>([
    [
      'whose key can read less',
      ({ id, key }, hook, isWide) =>
        isWide
          ? patch(key, `/v1/webhooks/${hook}`, { enabled: true })
          : patch(key, `/v1/keys/${id}`, { scopes: READER }),
    ],
    [
      'that wants less',
      ({ key }, hook, isWide) =>
        patch(key, `/v1/webhooks/${hook}`, { types: isWide ? ['pet.*', 'category.*'] : ['pet.*'] }),
    ],
  ])('%s gets no more of the other events, until it can again', async (title, change) => {
    const path = `/${title.replaceAll(' ', '-')}`;
    const key = await service.createKey({ ...FULL, account: title });
    // Keeps its scopes, and can take the webhook over.
    const changing = { id: key.id, key: await service.key({ ...FULL, account: title }) };
    const id = await createHook(key.key, receiver.address + path, ['pet.*', 'category.*']);
    responses.set(path, { status: 500 });
    const since = new Date(clock.nowMs()).toISOString();
    for (const create of [createCategory, createPet]) await create();
    await until(async () => (await deliveriesOf(key.key, id)).filter(({ attempts }) => attempts === 1).length === 2);
    expect(await change(changing, id, false)).toMatchObject({ status: 200 });
    responses.clear();
    // What runs in this instance can be a second behind. The next one reads the webhook as it is now.
    await restart();
    clock.advanceSeconds(6);
    deliver();
    await until(async () => (await deliveriesOf(changing.key, id)).every(({ state }) => state !== 'pending'));
    expect(await deliveriesOf(changing.key, id)).toMatchObject([
      { state: 'failed', error: 'The key or the types of the webhook no longer include this event.' },
      { state: 'delivered' },
    ]);
    expect(typesAt(path).toSorted()).toEqual(['category.created', 'pet.created', 'pet.created']);
    expect(await change(changing, id, true)).toMatchObject({ status: 200 });
    await until(async () => {
      await service.json(`/v1/webhooks/${id}/replay`, { key: changing.key, body: { since } });
      return typesAt(path).length === 4;
    });
    expect(typesAt(path).at(-1)).toBe('category.created');
    await service.json(`/v1/webhooks/${id}`, { key: changing.key, method: 'DELETE' });
  });

  it('whose extension or address is no longer there can be disabled and changed all the same', async () => {
    const key = await service.key({ ...FULL, account: 'outliving' });
    await restart({ extensions: [extensionOf({ imports: [EventsModule], providers: [Toys] })] });
    const id = await createHook(key, `${receiver.address}/toys`, ['toy.*']);
    const both = await createHook(key, `${receiver.address}/both`, ['toy.*', 'pet.*']);
    await restart({ env: { ...receiver.env, WEBHOOK_ALLOW: '' } });
    expect(await patch(key, `/v1/webhooks/${id}`, { enabled: false })).toMatchObject({
      status: 200,
      body: { state: 'disabled', types: ['toy.*'] },
    });
    await restart();
    expect(await patch(key, `/v1/webhooks/${both}`, { url: `${receiver.address}/all` })).toMatchObject({
      status: 200,
      body: { types: ['toy.*', 'pet.*'] },
    });
    for (const change of [{ enabled: true }, { types: ['toy.*', 'pet.*'] }])
      expect(await patch(key, `/v1/webhooks/${id}`, change)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('types must not have "toy.*", which stands for no type. Types are ') },
      });
    for (const one of [id, both]) await service.json(`/v1/webhooks/${one}`, { key, method: 'DELETE' });
  });

  it('waits with an event of a type that only other instances know, for which it cannot ask the key', async () => {
    const key = await service.key({ ...FULL, account: 'rolling' });
    const id = await createHook(key, `${receiver.address}/rolling`, ['pet.*']);
    responses.set('/rolling', { status: 500 });
    await createPet();
    await until(async () => (await deliveriesOf(key, id))[0]?.attempts === 1);
    const [{ subject = '' } = {}] = await deliveriesOf(key, id);
    await service.app.get(Database).query(`UPDATE "event_log" SET "type" = 'pet.fed' WHERE "subject" = '${subject}'`);
    clock.advanceSeconds(6);
    deliver();
    await until(async () => (await deliveriesOf(key, id))[0]?.attempts === 2);
    const error = 'This instance does not know the type of the event yet.';
    expect(await deliveriesOf(key, id)).toMatchObject([{ state: 'pending', error }]);
    expect(receiver.at('/rolling')).toHaveLength(1);
    await service.json(`/v1/webhooks/${id}`, { key, method: 'DELETE' });
  });

  it('is as it was read last, also if an earlier read ends after that', async () => {
    const key = await service.key({ ...FULL, account: 'rereading' });
    const id = await createHook(key, `${receiver.address}/read`, ['pet.*']);
    const source = service.app.get(WebhookDeliveries, { strict: false });
    const keys = service.app.get(ActiveKeys, { strict: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    const find = keys.find.bind(keys);
    jest.spyOn(keys, 'find').mockImplementationOnce(async (ids) => promise.then(() => find(ids)));
    const earlier = source.subscriptions(true);
    await service.app.get(Database).query(`UPDATE "webhooks" SET "failing_since" = 1 WHERE "id" = ${id}`);
    await source.subscriptions(true);
    resolve();
    await earlier;
    const read = await source.subscriptions();
    expect(read.find(({ name }) => name === `webhook:${id}`)?.isFailing).toBe(true);
    await service.json(`/v1/webhooks/${id}`, { key, method: 'DELETE' });
  });

  it('that is disabled does not tell its account who made the change that it got', async () => {
    const key = await service.key({ ...FULL, account: 'listening' });
    const id = await createHook(key, `${receiver.address}/gone`, ['pet.*']);
    responses.set('/gone', { status: 410 });
    await createPet({ 'X-Request-Id': 'alice-4711' });
    await until(async () => (await stateOf(key, id)) === 'disabled');
    const feed = await service.request(`/v1/events?subject=webhook:${id}`, { key });
    const events = (await feed.json()) as { actor?: string; requestId?: string }[];
    expect(events.at(-1)).toMatchObject({ type: 'webhook.changed', actor: `webhook:${id}` });
    expect(events.at(-1)).not.toHaveProperty('requestId');
    const logged = `SELECT "actor_account_id" = "account_id" AS "isOwn", "trace_id" FROM "event_log"
      WHERE "subject" = 'webhook:${id}' AND "type" = 'webhook.changed'`;
    const [row] = await service.app.get(Database).query<Record<string, unknown>[]>(logged);
    expect([Boolean(row?.['isOwn']), row?.['trace_id']]).toEqual([true, null]);
  });

  it('is not disabled by a 410 of an address that it had before', async () => {
    const sockets: Socket[] = [];
    const former = createServer((socket) => void sockets.push(socket.resume()));
    await once(former.listen(Number(new URL(receiver.address).port), '127.0.0.2'), 'listening');
    const { port } = former.address() as AddressInfo;
    const key = await service.key({ ...FULL, account: 'moving' });
    const id = await createHook(key, `http://127.0.0.2:${port}/`, ['pet.*']);
    await createPet();
    await until(() => sockets.length === 1);
    await patch(key, `/v1/webhooks/${id}`, { url: `${receiver.address}/moved` });
    sockets[0]?.write('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n');
    await until(async () => (await deliveriesOf(key, id))[0]?.error === 'The receiver responded with 410.');
    expect(await stateOf(key, id)).toBe('enabled');
    former.close();
    sockets[0]?.destroy();
  });
});
