// @postgres: orders of one pet at once wait for its row.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorOf, expectTrio } from '../support/expectations.js';
import { type Order, orderOf, OrdersClient } from '../support/orders.js';

const orders = new OrdersClient();

beforeAll(orders.start);
afterAll(orders.stop);
beforeEach(orders.reset);

const NOT_AVAILABLE = { status: 409, code: 'pet_not_available' };

describe('placeOrder', () => {
  it('returns 201 with the order and its Location, and makes the pet pending', async () => {
    const petId = await orders.addPet();
    const response = await orders.place(petId);
    const order = (await response.json()) as Order;
    expect(response.status).toBe(201);
    expect(order).toEqual({
      id: order.id,
      petId,
      status: 'placed',
      createdAt: new Date(orders.clock.nowMs()).toISOString(),
    });
    expect(response.headers.get('location')).toBe(`/v1/store/orders/${order.id}`);
    expectTrio(response);
    expect(await orders.petStatus(petId)).toBe('pending');
    expect(await (await orders.get(`/${order.id}`)).json()).toEqual(order);
  });

  it.each(['pending', 'sold'])('returns 409 for a pet that is %s', async (status) => {
    expect(await errorOf(await orders.place(await orders.addPet(status)))).toMatchObject(NOT_AVAILABLE);
  });

  it('returns 409 for a pet without a status', async () => {
    const pet = { key: orders.key, body: { name: 'Bella', categoryId: 1 } };
    const { body } = await orders.service.json<{ id: number }>('/v1/pets', pet);
    expect(await errorOf(await orders.place(body.id))).toMatchObject(NOT_AVAILABLE);
  });

  it('returns 409 for a pet that another account has ordered, until that order is cancelled', async () => {
    const petId = await orders.addPet();
    const other = await orders.service.key();
    const order = await orderOf(orders.place(petId, other));
    expect(await errorOf(await orders.place(petId))).toMatchObject(NOT_AVAILABLE);
    await orders.move(order.id, 'cancelled', { as: other });
    expect((await orders.place(petId)).status).toBe(201);
  });

  it.each([404_404, 9_007_199_254_740_991])('returns 404 for a pet that does not exist: %i', async (petId) => {
    expect(await errorOf(await orders.place(petId))).toMatchObject({ status: 404, code: 'pet_not_found' });
  });

  it('reads the identifier of the pet exactly', async () => {
    await orders.addPet();
    for (const petId of ['9223372036854775807', '9007199254740993']) {
      const response = await orders.service.post('/v1/store/orders', orders.key, `{"petId":${petId}}`);
      expect(await errorOf(response)).toMatchObject({ status: 404, message: expect.stringContaining(petId) });
    }
  });

  it.each(['0', '-1', '1.5', '"1"', 'null', '9223372036854775808', 'true'])(
    'returns 400 for the identifier %s',
    async (petId) => {
      const refusal = await errorOf(await orders.service.post('/v1/store/orders', orders.key, `{"petId":${petId}}`));
      expect(refusal).toMatchObject({
        status: 400,
        message: expect.stringContaining('petId must be an integer'),
      });
    },
  );

  it.each(['{}', '{"petId":1,"status":"placed"}', '[]'])('returns 400 for the body %s', async (body) => {
    expect(await errorOf(await orders.service.post('/v1/store/orders', orders.key, body))).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });

  it('places one order per Idempotency-Key, and repeats the response after the order has changed', async () => {
    const body = JSON.stringify({ petId: await orders.addPet() });
    const send = () =>
      orders.service.request('/v1/store/orders', {
        key: orders.key,
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'order' },
      });
    const first = await send();
    const text = await first.text();
    await orders.move((JSON.parse(text) as Order).id, 'cancelled');
    const second = await send();
    expect([second.status, await second.text()]).toEqual([first.status, text]);
    for (const name of ['location', 'etag']) expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect(await (await orders.get('')).json()).toHaveLength(1);
  });
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
    expect(await errorOf(await orders.move(order.id, to))).toMatchObject({
      status: 409,
      code: 'invalid_status_transition',
      message: expect.stringContaining(order.status),
    });
    expect(await (await orders.get(`/${order.id}`)).json()).toEqual(order);
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

  it('accepts one of several concurrent changes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const order = await orders.orderAt('approved');
      const responses = await Promise.all(
        ['delivered', 'cancelled', 'delivered', 'cancelled'].map((status) => orders.move(order.id, status)),
      );
      const { status } = await orderOf(orders.get(`/${order.id}`));
      expect(responses.map((response) => response.status).toSorted()).toEqual([200, 200, 409, 409]);
      expect(await orders.petStatus(order.petId)).toBe(status === 'delivered' ? 'sold' : 'available');
    }
  });
});
