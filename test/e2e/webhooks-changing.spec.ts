// @postgres: deliveries are claimed from another table.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DeliveryWorker } from '../../src/database/events/delivery/delivery-worker.js';
import { ActiveKeys, Database, Events, EventsModule } from '../../src/index.js';
import { WebhookDeliveries } from '../../src/webhooks/webhook-deliveries.js';
import { FakeClock, startApp, type TestApp, type TestAppOptions } from '../support/app.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, restartApp, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';
import { type Webhook, WebhookReceiver } from '../support/webhook-receiver.js';
import { callHook, createHook, deliveriesOf, removeHooks } from '../support/webhooks.js';

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
const FULL = { ...AMPLE, account: 'hooked', scopes: [...READER, 'categories:read'] };
const WRITER = { ...AMPLE, account: 'writers', scopes: ['pets:write', 'categories:write', 'pets:read'] };
const clock = new FakeClock(Date.now());
const receiver = new WebhookReceiver();
const { responses } = receiver;
let writer: string;
let made = 0;

const create = (path: string, types?: readonly string[]) => createHook(receiver.address + path, types);
const change = (hook: Webhook, body: object) => callHook('PATCH', hook, '', body);
const createPet = (headers: Record<string, string> = {}) =>
  service.json('/v1/pets', { key: writer, headers, body: { name: 'Ada', categoryId: 1 } });
const createCategory = (at: TestApp = service) => {
  made += 1;
  return at.json('/v1/categories', { key: writer, body: { name: `Kind ${made}` } });
};
const stateOf = async (hook: Webhook) => (await callHook('GET', hook)).body.state;
const isTried = async (hook: Webhook, attempts: number) => (await deliveriesOf(hook))[0]?.attempts === attempts;
const restart = (options: TestAppOptions = {}) => restartApp({ clock, env: receiver.env, ...options });
const deliver = () => service.app.get(DeliveryWorker, { strict: false }).wake();
const typesAt = (path: string) => receiver.at(path).map(({ body }) => (JSON.parse(body) as { type: string }).type);

beforeAll(() => receiver.start());
afterAll(() => receiver.stop());
shareApp({ clock, env: receiver.env }, FULL, async () => {
  writer = await service.key(WRITER);
});
beforeEach(() => receiver.reset());
afterEach(removeHooks);

describe('a webhook', () => {
  it.each<[string, (hook: Webhook) => Promise<object>, object]>([
    [
      'whose key can read less',
      ({ keyId }) => service.json(`/v1/keys/${keyId}`, { key, method: 'PATCH', body: { scopes: READER } }),
      // The key of the file takes it over.
      { enabled: true },
    ],
    ['that wants less', (hook) => change(hook, { types: ['pet.*'] }), { types: ['pet.*', 'category.*'] }],
  ])('%s gets no more of the other events, until it can again', async (title, narrow, widening) => {
    const path = `/${title.replaceAll(' ', '-')}`;
    const hook = await createHook(receiver.address + path, ['pet.*', 'category.*'], await service.key(FULL));
    responses.set(path, { status: 500 });
    const since = new Date(clock.nowMs()).toISOString();
    await createCategory();
    await createPet();
    await until(async () => (await deliveriesOf(hook)).filter(({ attempts }) => attempts === 1).length === 2);
    expect(await narrow(hook)).toMatchObject({ status: 200 });
    responses.clear();
    clock.advanceSeconds(6);
    deliver();
    await until(async () => (await deliveriesOf(hook)).every(({ state }) => state !== 'pending'));
    expect(await deliveriesOf(hook)).toMatchObject([
      { state: 'failed', error: 'The key or the types of the webhook no longer include this event.' },
      { state: 'delivered' },
    ]);
    expect(typesAt(path).toSorted()).toEqual(['category.created', 'pet.created', 'pet.created']);
    expect(await change(hook, widening)).toMatchObject({ status: 200 });
    await until(async () => {
      await callHook('POST', hook, '/replay', { since });
      return typesAt(path).length === 4;
    });
    expect(typesAt(path).at(-1)).toBe('category.created');
  });

  it('gets all that it wants from its change on, also while others are delivered', async () => {
    const hook = await create('/more', ['pet.created']);
    receiver.unanswered.add('Ada');
    await createPet();
    await until(() => receiver.at('/more').length === 1);
    expect(await change(hook, { types: ['pet.created', 'category.created'] })).toMatchObject({ status: 200 });
    await createCategory();
    await until(() => receiver.at('/more').length === 2);
    expect(typesAt('/more')).toEqual(['pet.created', 'category.created']);
    receiver.closeConnections();
  });

  it('gets what another instance does from its change on', async () => {
    const hook = await create('/elsewhere', ['pet.created']);
    const other = await startApp({ clock, env: receiver.env, folder: service.folder });
    await other.app.get(WebhookDeliveries, { strict: false }).subscriptions(true);
    expect(await change(hook, { types: ['category.created'] })).toMatchObject({ status: 200 });
    await createCategory(other);
    await until(async () => (await deliveriesOf(hook)).length === 1);
    await until(() => receiver.at('/elsewhere').length > 0);
    await other.stop({ keepData: true });
  });

  it('whose extension or address is no longer there can be disabled and changed all the same', async () => {
    await restart({ extensions: [extensionOf({ imports: [EventsModule], providers: [Toys] })] });
    const hook = await create('/toys', ['toy.*']);
    const both = await create('/both', ['toy.*', 'pet.*']);
    await restart({ env: { ...receiver.env, WEBHOOK_ALLOW: '' } });
    expect(await change(hook, { enabled: false })).toMatchObject({
      status: 200,
      body: { state: 'disabled', types: ['toy.*'] },
    });
    await restart();
    expect(await change(both, { url: `${receiver.address}/all` })).toMatchObject({
      status: 200,
      body: { types: ['toy.*', 'pet.*'] },
    });
    for (const body of [{ enabled: true }, { types: ['toy.*', 'pet.*'] }])
      expect(await change(hook, body)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('types must not have "toy.*", which stands for no type. Types are ') },
      });
  });

  it('waits with an event of a type that only other instances know, for which it cannot ask the key', async () => {
    const hook = await create('/rolling');
    responses.set('/rolling', { status: 500 });
    await createPet();
    await until(() => isTried(hook, 1));
    const [{ subject = '' } = {}] = await deliveriesOf(hook);
    await service.app.get(Database).query(`UPDATE "event_log" SET "type" = 'pet.fed' WHERE "subject" = '${subject}'`);
    clock.advanceSeconds(6);
    deliver();
    await until(() => isTried(hook, 2));
    const error = 'This instance does not know the type of the event yet.';
    expect(await deliveriesOf(hook)).toMatchObject([{ state: 'pending', error }]);
    expect(receiver.at('/rolling')).toHaveLength(1);
  });

  it('is as it was read last, also if an earlier read ends after that', async () => {
    const { id } = await create('/read');
    const source = service.app.get(WebhookDeliveries, { strict: false });
    const keys = service.app.get(ActiveKeys, { strict: false });
    const { promise, resolve } = Promise.withResolvers<void>();
    const find = keys.find.bind(keys);
    const spy = jest.spyOn(keys, 'find').mockImplementationOnce(async (ids) => promise.then(() => find(ids)));
    const earlier = source.subscriptions(true);
    // Otherwise the later read could be the one that waits.
    await until(() => spy.mock.calls.length > 0);
    await service.app.get(Database).query(`UPDATE "webhooks" SET "failing_since" = 1 WHERE "id" = ${id}`);
    await source.subscriptions(true);
    resolve();
    await earlier;
    const read = await source.subscriptions();
    expect(read.find(({ name }) => name === `webhook:${id}`)?.isFailing).toBe(true);
  });

  it('that is disabled does not tell its account who made the change that it got', async () => {
    const hook = await create('/gone');
    const { id } = hook;
    responses.set('/gone', { status: 410 });
    await createPet({ 'X-Request-Id': 'alice-4711' });
    await until(async () => (await stateOf(hook)) === 'disabled');
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
    const hook = await createHook(`http://127.0.0.2:${port}/`);
    await createPet();
    await until(() => sockets.length === 1);
    await change(hook, { url: `${receiver.address}/moved` });
    sockets[0]?.write('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n');
    await until(async () => (await deliveriesOf(hook))[0]?.error === 'The receiver responded with 410.');
    expect(await stateOf(hook)).toBe('enabled');
    former.close();
    sockets[0]?.destroy();
  });
});
