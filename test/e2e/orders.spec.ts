import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp } from '../support/app.js';
import { errorOf, expectTrio, refusalOf } from '../support/expectations.js';
import { type Order, orderOf, OrdersClient } from '../support/orders.js';
import { idsFrom, nextPage } from '../support/pages.js';

const orders = new OrdersClient();

beforeAll(orders.start);
afterAll(orders.stop);
beforeEach(orders.reset);

const NOT_AVAILABLE = '409 pet_not_available';
const NOT_FOUND = '404 order_not_found';
const INVALID = '400 validation_failed';

const post = (body: string) => orders.service.post('/v1/store/orders', orders.key, body);
const listed = async (query = '', as = orders.key) => (await (await orders.get(query, as)).json()) as Order[];

describe('placeOrder', () => {
  it('returns 201 with the order and its Location, and makes the pet pending', async () => {
    const petId = await orders.addPet();
    const response = await orders.place(petId);
    const order = (await response.json()) as Order;
    expect(response.status).toBe(201);
    const nowMs = orders.clock.nowMs();
    const [createdAt, expiresAt] = [nowMs, nowMs + 72 * 3_600_000].map((ms) => new Date(ms).toISOString());
    expect(order).toEqual({ id: order.id, petId, status: 'placed', createdAt, expiresAt });
    expect(response.headers.get('location')).toBe(`/v1/store/orders/${order.id}`);
    expectTrio(response);
    expect(await orders.petStatus(petId)).toBe('pending');
    expect(await orderOf(orders.get(`/${order.id}`))).toEqual(order);
  });

  it.each(['pending', 'sold', undefined])('returns 409 for a pet whose status is %s', async (status) => {
    const pet = { key: orders.key, body: { name: 'Bella', categoryId: 1, status } };
    const { body } = await orders.service.json<{ id: number }>('/v1/pets', pet);
    expect(await refusalOf(orders.place(body.id))).toBe(NOT_AVAILABLE);
  });

  it('returns 409 for a pet that another account has ordered, until that order is cancelled', async () => {
    const petId = await orders.addPet();
    const other = await orders.service.key();
    const order = await orderOf(orders.place(petId, other));
    expect(await refusalOf(orders.place(petId))).toBe(NOT_AVAILABLE);
    await orders.move(order.id, 'cancelled', { as: other });
    expect((await orders.place(petId)).status).toBe(201);
  });

  it.each(['404404', '9223372036854775807', '9007199254740993'])(
    'returns 404 for a pet that does not exist, and names it exactly: %s',
    async (petId) => {
      const refusal = { code: 'pet_not_found', message: expect.stringContaining(petId) };
      expect(await errorOf(await post(`{"petId":${petId}}`))).toMatchObject(refusal);
    },
  );
});

describe('changeOrder', () => {
  it('changes placed to approved to delivered, which makes the pet sold', async () => {
    const order = await orders.orderAt('approved');
    expect(order.status).toBe('approved');
    expect(await orders.petStatus(order.petId)).toBe('pending');
    const response = await orders.move(order.id, 'delivered');
    expect([response.status, await response.json()]).toEqual([200, { ...order, status: 'delivered' }]);
    expect(await orders.petStatus(order.petId)).toBe('sold');
  });

  it.each([[[]], [['approved']]])('cancels an order after %j, which makes the pet available', async (statuses) => {
    const order = await orders.orderAt(...statuses);
    expect((await orderOf(orders.move(order.id, 'cancelled'))).status).toBe('cancelled');
    expect(await orders.petStatus(order.petId)).toBe('available');
    expect((await orders.place(order.petId)).status).toBe(201);
  });

  it.each([
    [[], 'delivered'],
    [['approved'], 'placed'],
    [['approved', 'delivered'], 'placed'],
    [['approved', 'delivered'], 'approved'],
    [['approved', 'delivered'], 'cancelled'],
    [['cancelled'], 'placed'],
    [['cancelled'], 'approved'],
    [['cancelled'], 'delivered'],
  ])('refuses to change an order after %j to %s', async (statuses, to) => {
    const order = await orders.orderAt(...statuses);
    const pet = await orders.petStatus(order.petId);
    const refusal = { code: 'invalid_status_transition', message: expect.stringContaining(order.status), status: 409 };
    expect(await errorOf(await orders.move(order.id, to))).toEqual(refusal);
    expect(await orderOf(orders.get(`/${order.id}`))).toEqual(order);
    expect(await orders.petStatus(order.petId)).toBe(pet);
  });

  it.each([[[]], [['approved']], [['approved', 'delivered']], [['cancelled']]])(
    'changes nothing if an order after %j has the status already',
    async (statuses) => {
      const order = await orders.orderAt(...statuses);
      const pet = await orders.petStatus(order.petId);
      const response = await orders.move(order.id, order.status);
      expect([response.status, await response.json()]).toEqual([200, order]);
      expect(await orders.petStatus(order.petId)).toBe(pet);
    },
  );

  it.each(['shipped', 'Placed', null, 1])('returns 400 for the status %j', async (status) => {
    const { id } = await orders.orderAt();
    expect(await errorOf(await orders.move(id, status))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^status must be (a string|one of placed, approved, delivered, cancelled)/),
    });
  });
});

describe('an order', () => {
  it('returns 404 to another account, whatever the method', async () => {
    const { id } = await orders.orderAt();
    const as = await orders.service.key();
    expect(await refusalOf(orders.get(`/${id}`, as))).toBe(NOT_FOUND);
    expect(await refusalOf(orders.move(id, 'cancelled', { as }))).toBe(NOT_FOUND);
    expect(await refusalOf(orders.move(id, 'nonsense', { as, 'If-Match': '"x"' }))).toBe(INVALID);
    expect(await listed('', as)).toEqual([]);
    expect((await orderOf(orders.get(`/${id}`))).status).toBe('placed');
  });

  it('belongs to all keys of its account', async () => {
    const [one, other] = [await orders.service.key({ account: 'shop' }), await orders.service.key({ account: 'shop' })];
    const { id } = await orderOf(orders.place(await orders.addPet(), one));
    expect((await orders.get(`/${id}`, other)).status).toBe(200);
    expect((await orders.move(id, 'approved', { as: other })).status).toBe(200);
  });

  it.each(['0', '01', '-1', '1.0', 'x', '9223372036854775808', '404404', '1%00'])(
    'returns 404 for the identifier %s',
    async (id) => {
      expect(await refusalOf(orders.get(`/${id}`))).toBe(NOT_FOUND);
      expect(await refusalOf(orders.move(id, 'approved'))).toBe(NOT_FOUND);
    },
  );

  it('still reserves its pet after a restart', async () => {
    const order = await orders.orderAt('approved');
    const again = await startApp({ clock: orders.clock, folder: orders.service.folder });
    const response = await again.post('/v1/store/orders', orders.key, JSON.stringify({ petId: order.petId }));
    const kept = await (await again.request(`/v1/store/orders/${order.id}`, { key: orders.key })).json();
    await again.stop({ keepData: true });
    expect([response.status, kept]).toEqual([409, order]);
  });
});

describe('the end of an order', () => {
  it('is told wherever the order is returned, as long as it is placed', async () => {
    const placed = await orders.orderAt();
    expect(placed.expiresAt).toBeDefined();
    expect(await listed()).toEqual([placed]);
    const { expiresAt, ...rest } = placed;
    const { body } = await orders.service.json<object[]>('/v1/events?types=order.placed', { key: orders.key });
    expect(body.at(-1)).toMatchObject({ data: { ...rest, expiresAt } });
    expect(await orderOf(orders.move(placed.id, 'approved'))).toEqual({ ...rest, status: 'approved' });
    expect(await listed()).toEqual([{ ...rest, status: 'approved' }]);
  });

  it('is that of the setting, and is not told if there is none', async () => {
    for (const [hours, end] of [
      ['1', '2026-11-21T13:00:00.000Z'],
      ['0', undefined],
    ] as const) {
      const clock = new FakeClock();
      clock.set('2026-11-21T12:00:00Z');
      const service = await startApp({ clock, env: { ORDER_EXPIRY_HOURS: hours } });
      const key = await service.key();
      await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1,"status":"available"}');
      const { body } = await service.json<Order>('/v1/store/orders', { key, body: { petId: 1 } });
      await service.stop();
      expect([body.status, body.expiresAt]).toEqual(['placed', end]);
    }
  });
});

describe('listOrders', () => {
  it('returns the orders in ascending order of id, page by page', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await orders.orderAt()).id);
    await orderOf(orders.place(await orders.addPet(), await orders.service.key()));
    const read = (path: string) => orders.service.request(path, { key: orders.key });
    expect(await idsFrom('/v1/store/orders?limit=2', read)).toEqual(ids);
  });

  it('filters by status', async () => {
    const placed = await orders.orderAt();
    const cancelled = await orders.orderAt('cancelled');
    const first = await orders.orderAt('approved', 'delivered');
    const second = await orders.orderAt('approved', 'delivered');
    expect(await listed('?status=placed')).toEqual([placed]);
    expect(await listed('?status=cancelled')).toEqual([cancelled]);
    expect(await listed('?status=delivered&limit=1')).toEqual([first]);
    const next = nextPage(await orders.get('?status=delivered&limit=1'));
    expect(next).toBe(`/v1/store/orders?limit=1&status=delivered&after=${first.id}`);
    expect(await listed(`?status=delivered&after=${first.id}`)).toEqual([second]);
    expect(await listed('?status=approved')).toEqual([]);
  });

  it.each(['?limit=0', '?limit=101', '?limit=1e1', '?status=available', '?after=0', '?petId=1', '?limit=1&limit=2'])(
    'returns 400 for %s',
    async (query) => {
      expect(await refusalOf(orders.get(query))).toBe(INVALID);
    },
  );
});
