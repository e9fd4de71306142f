import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { AMPLE } from '../support/folders.js';

interface Order {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly createdAt: string;
}

const clock = new FakeClock();
let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp({ clock });
});
afterAll(() => service.stop());
beforeEach(async () => {
  key = await service.key(AMPLE);
});

async function addPet(status = 'available'): Promise<number> {
  return (
    (await (await service.post('/v1/pets', key, JSON.stringify({ name: 'Bella', categoryId: 1, status }))).json()) as {
      id: number;
    }
  ).id;
}

const place = (petId: unknown, as = key) => service.post('/v1/store/orders', as, JSON.stringify({ petId }));
const get = (path: string, as = key, headers = {}) => service.request(`/v1/store/orders${path}`, { key: as, headers });
const move = (id: number | string, status: unknown, { as = key, ...headers }: Record<string, string> = {}) =>
  service.request(`/v1/store/orders/${id}`, {
    key: as,
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ status }),
  });

const orderOf = async (response: Promise<Response>) => (await (await response).json()) as Order;
const petStatus = async (id: number) =>
  ((await (await service.request(`/v1/pets/${id}`, { key })).json()) as { status?: string }).status;

/** An order that has gone through these statuses. */
async function orderAt(...statuses: string[]): Promise<Order> {
  let order = await orderOf(place(await addPet()));
  for (const status of statuses) order = await orderOf(move(order.id, status));
  return order;
}

describe('placeOrder', () => {
  it('returns 201 with the order and its Location, and makes the pet pending', async () => {
    const petId = await addPet();
    const response = await place(petId);
    const order = (await response.json()) as Order;
    expect(response.status).toBe(201);
    expect(order).toEqual({ id: order.id, petId, status: 'placed', createdAt: new Date(clock.nowMs()).toISOString() });
    expect(response.headers.get('location')).toBe(`/v1/store/orders/${order.id}`);
    expectTrio(response);
    expect(await petStatus(petId)).toBe('pending');
    expect(await (await get(`/${order.id}`)).json()).toEqual(order);
  });

  it.each(['pending', 'sold'])('returns 409 for a pet that is %s', async (status) => {
    expect(await errorOf(await place(await addPet(status)))).toMatchObject({ status: 409, code: 'pet_not_available' });
  });

  it('returns 409 for a pet without a status', async () => {
    const { id } = (await (await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}')).json()) as {
      id: number;
    };
    expect(await errorOf(await place(id))).toMatchObject({ status: 409, code: 'pet_not_available' });
  });

  it('returns 409 for a pet that another account has ordered, until that order is cancelled', async () => {
    const petId = await addPet();
    const other = await service.key();
    const order = await orderOf(place(petId, other));
    expect(await errorOf(await place(petId))).toMatchObject({ status: 409, code: 'pet_not_available' });
    await move(order.id, 'cancelled', { as: other });
    expect((await place(petId)).status).toBe(201);
  });

  it.each([404_404, 9_007_199_254_740_991])('returns 404 for a pet that does not exist: %i', async (petId) => {
    expect(await errorOf(await place(petId))).toMatchObject({ status: 404, code: 'pet_not_found' });
  });

  it('reads the identifier of the pet exactly', async () => {
    await addPet();
    for (const petId of ['9223372036854775807', '9007199254740993']) {
      const response = await service.post('/v1/store/orders', key, `{"petId":${petId}}`);
      expect(await errorOf(response)).toMatchObject({ status: 404, message: expect.stringContaining(petId) });
    }
  });

  it.each(['0', '-1', '1.5', '"1"', 'null', '9223372036854775808', 'true'])(
    'returns 400 for the identifier %s',
    async (petId) => {
      const refusal = await errorOf(await service.post('/v1/store/orders', key, `{"petId":${petId}}`));
      expect(refusal).toMatchObject({
        status: 400,
        message: expect.stringContaining('petId must be an integer from 1 to'),
      });
    },
  );

  it.each(['{}', '{"petId":1,"status":"placed"}', '[]'])('returns 400 for the body %s', async (body) => {
    expect(await errorOf(await service.post('/v1/store/orders', key, body))).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });

  it('places one order per Idempotency-Key, and repeats the response after the order has changed', async () => {
    const body = JSON.stringify({ petId: await addPet() });
    const send = () =>
      service.request('/v1/store/orders', {
        key,
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'order' },
      });
    const first = await send();
    const text = await first.text();
    await move((JSON.parse(text) as Order).id, 'cancelled');
    const second = await send();
    expect([second.status, await second.text()]).toEqual([first.status, text]);
    for (const name of ['location', 'etag']) expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect(await (await get('')).json()).toHaveLength(1);
  });
});

describe('changeOrder', () => {
  it('changes placed to approved to delivered, which makes the pet sold', async () => {
    const order = await orderAt('approved');
    expect(order.status).toBe('approved');
    expect(await petStatus(order.petId)).toBe('pending');
    const response = await move(order.id, 'delivered');
    expect([response.status, await response.json()]).toEqual([200, { ...order, status: 'delivered' }]);
    expect(await petStatus(order.petId)).toBe('sold');
  });

  it.each([[[]], [['approved']]])('cancels an order after %j, which makes the pet available', async (statuses) => {
    const order = await orderAt(...statuses);
    expect((await orderOf(move(order.id, 'cancelled'))).status).toBe('cancelled');
    expect(await petStatus(order.petId)).toBe('available');
    expect((await place(order.petId)).status).toBe(201);
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
    const order = await orderAt(...statuses);
    const pet = await petStatus(order.petId);
    expect(await errorOf(await move(order.id, to))).toMatchObject({
      status: 409,
      code: 'invalid_status_transition',
      message: expect.stringContaining(order.status),
    });
    expect(await (await get(`/${order.id}`)).json()).toEqual(order);
    expect(await petStatus(order.petId)).toBe(pet);
  });

  it.each([[[]], [['approved']], [['approved', 'delivered']], [['cancelled']]])(
    'changes nothing if an order after %j has the status already',
    async (statuses) => {
      const order = await orderAt(...statuses);
      const pet = await petStatus(order.petId);
      const response = await move(order.id, order.status);
      expect([response.status, await response.json()]).toEqual([200, order]);
      expect(await petStatus(order.petId)).toBe(pet);
    },
  );

  it.each(['shipped', 'Placed', null, 1])('returns 400 for the status %j', async (status) => {
    const { id } = await orderAt();
    expect(await errorOf(await move(id, status))).toMatchObject({
      status: 400,
      message: expect.stringContaining('status must be one of placed, approved, delivered, cancelled'),
    });
  });

  it('accepts one of several concurrent changes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const order = await orderAt('approved');
      const responses = await Promise.all(
        ['delivered', 'cancelled', 'delivered', 'cancelled'].map((status) => move(order.id, status)),
      );
      const { status } = await orderOf(get(`/${order.id}`));
      expect(responses.map((response) => response.status).toSorted()).toEqual([200, 200, 409, 409]);
      expect(await petStatus(order.petId)).toBe(status === 'delivered' ? 'sold' : 'available');
    }
  });
});

describe('an order', () => {
  it('returns 404 to another account, whatever the method', async () => {
    const { id } = await orderAt();
    const other = await service.key();
    const responses = [
      await get(`/${id}`, other),
      await move(id, 'cancelled', { as: other }),
      await move(id, 'nonsense', { as: other, 'If-Match': '"x"' }),
    ];
    expect(await Promise.all(responses.map(async (response) => (await errorOf(response)).code))).toEqual([
      'order_not_found',
      'order_not_found',
      'validation_failed',
    ]);
    expect(await (await get('', other)).json()).toEqual([]);
    expect((await orderOf(get(`/${id}`))).status).toBe('placed');
  });

  it('belongs to all keys of its account', async () => {
    const [one, other] = [await service.key({ account: 'shop' }), await service.key({ account: 'shop' })];
    const { id } = await orderOf(place(await addPet(), one));
    expect((await get(`/${id}`, other)).status).toBe(200);
    expect((await move(id, 'approved', { as: other })).status).toBe(200);
  });

  it.each(['0', '01', '-1', '1.0', 'x', '9223372036854775808', '404404', '1%00'])(
    'returns 404 for the identifier %s',
    async (id) => {
      expect(await errorOf(await get(`/${id}`))).toMatchObject({ status: 404, code: 'order_not_found' });
      expect(await errorOf(await move(id, 'approved'))).toMatchObject({ status: 404, code: 'order_not_found' });
    },
  );

  it('needs the scopes of orders', async () => {
    const { id } = await orderAt();
    const reader = await service.key({ scopes: ['orders:read', 'pets:write'] });
    const writer = await service.key({ scopes: ['orders:write'] });
    const refusals = [
      await place(1, reader),
      await move(id, 'approved', { as: reader }),
      await get('', writer),
      await get(`/${id}`, writer),
    ];
    const scopes = ['orders:write', 'orders:write', 'orders:read', 'orders:read'];
    for (const [index, response] of refusals.entries()) {
      expect(await errorOf(response)).toMatchObject({
        status: 403,
        code: 'insufficient_scope',
        message: expect.stringContaining(scopes[index] ?? ''),
      });
    }
  });

  it('still reserves its pet after a restart', async () => {
    const order = await orderAt('approved');
    const again = await startApp({ clock, folder: service.folder });
    const response = await again.post('/v1/store/orders', key, JSON.stringify({ petId: order.petId }));
    const kept = await (await again.request(`/v1/store/orders/${order.id}`, { key })).json();
    await again.stop({ keepData: true });
    expect([response.status, kept]).toEqual([409, order]);
  });
});

describe('listOrders', () => {
  it('returns the orders in ascending order of id, page by page', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await orderAt()).id);
    await orderOf(place(await addPet(), await service.key()));
    const seen: number[] = [];
    let path: string | undefined = '?limit=2';
    for (let pages = 0; path !== undefined; pages += 1) {
      expect(pages).toBeLessThan(3);
      const response: Response = await get(path);
      seen.push(...((await response.json()) as Order[]).map(({ id }) => id));
      path = /^<\/v1\/store\/orders([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  it('filters by status', async () => {
    const placed = await orderAt();
    const cancelled = await orderAt('cancelled');
    const delivered = [await orderAt('approved', 'delivered'), await orderAt('approved', 'delivered')];
    expect(await (await get('?status=placed')).json()).toEqual([placed]);
    expect(await (await get('?status=cancelled')).json()).toEqual([cancelled]);
    const page = await get('?status=delivered&limit=1');
    expect(await page.json()).toEqual([delivered[0]]);
    expect(page.headers.get('link')).toBe(
      `</v1/store/orders?limit=1&status=delivered&after=${delivered[0]?.id}>; rel="next"`,
    );
    expect(await (await get(`?status=delivered&after=${delivered[0]?.id}`)).json()).toEqual([delivered[1]]);
    expect(await (await get('?status=approved')).json()).toEqual([]);
  });

  it.each(['?limit=0', '?limit=101', '?limit=1e1', '?status=available', '?after=0', '?petId=1', '?limit=1&limit=2'])(
    'returns 400 for %s',
    async (query) => {
      expect(await errorOf(await get(query))).toMatchObject({ status: 400, code: 'validation_failed' });
    },
  );
});

describe('the ETag of an order', () => {
  it('is the same on every response with the order', async () => {
    const placed = await place(await addPet());
    const { id } = (await placed.json()) as Order;
    const etag = placed.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await get(`/${id}`)).headers.get('etag')).toBe(etag);
    expect((await move(id, 'placed')).headers.get('etag')).toBe(etag);
    expect((await get(`/${id}`, key, { 'If-None-Match': etag })).status).toBe(304);
    const approved = await move(id, 'approved', { 'If-Match': etag });
    expect([approved.status, (await get(`/${id}`)).headers.get('etag')]).toEqual([200, approved.headers.get('etag')]);
    expect((await get(`/${id}`, key, { 'If-None-Match': etag })).status).toBe(200);
    expect(await errorOf(await move(id, 'delivered', { 'If-Match': etag }))).toMatchObject({
      status: 412,
      code: 'precondition_failed',
    });
    expect((await orderOf(get(`/${id}`))).status).toBe('approved');
  });

  it('allows one of several changes that are based on the same order', async () => {
    const { id } = await orderAt();
    const etag = (await get(`/${id}`)).headers.get('etag') ?? '';
    const responses = await Promise.all(Array.from({ length: 5 }, () => move(id, 'approved', { 'If-Match': etag })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
  });

  it('returns 304 for known pages, and changes when a page gets a next one', async () => {
    await orderAt();
    const page = await get('?limit=1');
    const etag = page.headers.get('etag') ?? '';
    expect((await get('?limit=1', key, { 'If-None-Match': etag })).status).toBe(304);
    await orderAt();
    expect((await get('?limit=1', key, { 'If-None-Match': etag })).status).toBe(200);
  });
});
