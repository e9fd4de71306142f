import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { AdminKeysService, Retention } from '../../src/accounts/index.js';
import { OrderExpiry } from '../../src/store/order-expiry.js';
import { queryDatabase } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { type Order, OrdersClient } from '../support/orders.js';

const DAY_MS = 86_400_000;
const orders = new OrdersClient();

beforeAll(async () => {
  await orders.start();
  await orders.reset();
});
afterAll(orders.stop);

const statusOf = async ({ id }: Order) => ((await (await orders.get(`/${id}`)).json()) as Order).status;
const place = async (petId: number) => (await (await orders.place(petId)).json()) as Order;
const expire = () => orders.service.app.get(OrderExpiry).run();

it('cancels orders that nobody approved for 72 hours, with their events, and no others', async () => {
  const [late, early, approved] = [await orders.addPet(), await orders.addPet(), await orders.addPet()];
  const forgotten = await place(late);
  const taken = await place(approved);
  await orders.move(taken.id, 'approved');
  orders.clock.advanceMs(2 * DAY_MS);
  const recent = await place(early);
  orders.clock.advanceMs(DAY_MS + 1);
  const cancelled = jest.fn();
  orders.service.app.get(EventEmitter2).on('order.cancelled', cancelled);
  await expire();
  expect([await statusOf(forgotten), await statusOf(taken), await statusOf(recent)]).toEqual([
    'cancelled',
    'approved',
    'placed',
  ]);
  expect([await orders.petStatus(late), await orders.petStatus(early)]).toEqual(['available', 'pending']);
  expect(cancelled.mock.calls).toEqual([
    [expect.objectContaining({ actor: 'order-expiry', after: expect.objectContaining({ id: forgotten.id }) })],
  ]);
});

it('deletes audit records after a year, and keys 90 days after they expired or were revoked', async () => {
  const { app, folder } = orders.service;
  const keys = app.get(AdminKeysService);
  const create = (expiresInMs?: number) => keys.createKey({ account: 'kept', plan: 'pro', expiresInMs });
  const revoked = await create();
  await keys.revoke(revoked.id);
  const expired = await create(DAY_MS);
  const kept = await create();
  const idsOf = async () =>
    (await queryDatabase<{ id: string }>(folder, 'SELECT "id" FROM "api_keys"')).map(({ id }) => id);
  const countRecords = async () => (await queryDatabase(folder, 'SELECT 1 FROM "audit_records"')).length;
  orders.clock.advanceMs(90 * DAY_MS + 1);
  await app.get(Retention).run();
  expect(await idsOf()).not.toContain(revoked.id);
  expect(await idsOf()).toEqual(expect.arrayContaining([expired.id, kept.id]));
  orders.clock.advanceMs(2 * DAY_MS);
  await app.get(Retention).run();
  expect(await idsOf()).not.toContain(expired.id);
  expect(await errorOf(await orders.service.request('/v1/pets', { key: revoked.key }))).toMatchObject({ status: 401 });
  const records = await countRecords();
  expect(records).toBeGreaterThan(4);
  await keys.change(kept.id, { scopes: ['pets:read'] });
  orders.clock.advanceMs(300 * DAY_MS);
  await app.get(Retention).run();
  // The newest one stays, whatever its age.
  expect(await countRecords()).toBe(1);
  expect((await orders.service.request('/v1/pets', { key: kept.key })).status).toBe(200);
});
