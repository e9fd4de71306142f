import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { type Order, orderOf, OrdersClient } from '../support/orders.js';

const orders = new OrdersClient();

beforeAll(orders.start);
afterAll(orders.stop);
beforeEach(orders.reset);

describe('an order', () => {
  it('returns 404 to another account, whatever the method', async () => {
    const { id } = await orders.orderAt();
    const other = await orders.service.key();
    const responses = [
      await orders.get(`/${id}`, other),
      await orders.move(id, 'cancelled', { as: other }),
      await orders.move(id, 'nonsense', { as: other, 'If-Match': '"x"' }),
    ];
    expect(await Promise.all(responses.map(async (response) => (await errorOf(response)).code))).toEqual([
      'order_not_found',
      'order_not_found',
      'validation_failed',
    ]);
    expect(await (await orders.get('', other)).json()).toEqual([]);
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
      expect(await errorOf(await orders.get(`/${id}`))).toMatchObject({ status: 404, code: 'order_not_found' });
      expect(await errorOf(await orders.move(id, 'approved'))).toMatchObject({ status: 404, code: 'order_not_found' });
    },
  );

  it('needs the scopes of orders', async () => {
    const { id } = await orders.orderAt();
    const reader = await orders.service.key({ scopes: ['orders:read', 'pets:write'] });
    const writer = await orders.service.key({ scopes: ['orders:write'] });
    const refusals = [
      await orders.place(1, reader),
      await orders.move(id, 'approved', { as: reader }),
      await orders.get('', writer),
      await orders.get(`/${id}`, writer),
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
    const order = await orders.orderAt('approved');
    const again = await startApp({ clock: orders.clock, folder: orders.service.folder });
    const response = await again.post('/v1/store/orders', orders.key, JSON.stringify({ petId: order.petId }));
    const kept = await (await again.request(`/v1/store/orders/${order.id}`, { key: orders.key })).json();
    await again.stop({ keepData: true });
    expect([response.status, kept]).toEqual([409, order]);
  });
});

describe('listOrders', () => {
  it('returns the orders in ascending order of id, page by page', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await orders.orderAt()).id);
    await orderOf(orders.place(await orders.addPet(), await orders.service.key()));
    const seen: number[] = [];
    let path: string | undefined = '?limit=2';
    for (let pages = 0; path !== undefined; pages += 1) {
      expect(pages).toBeLessThan(3);
      const response: Response = await orders.get(path);
      seen.push(...((await response.json()) as Order[]).map(({ id }) => id));
      path = /^<\/v1\/store\/orders([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  it('filters by status', async () => {
    const placed = await orders.orderAt();
    const cancelled = await orders.orderAt('cancelled');
    const delivered = [await orders.orderAt('approved', 'delivered'), await orders.orderAt('approved', 'delivered')];
    expect(await (await orders.get('?status=placed')).json()).toEqual([placed]);
    expect(await (await orders.get('?status=cancelled')).json()).toEqual([cancelled]);
    const page = await orders.get('?status=delivered&limit=1');
    expect(await page.json()).toEqual([delivered[0]]);
    expect(page.headers.get('link')).toBe(
      `</v1/store/orders?limit=1&status=delivered&after=${delivered[0]?.id}>; rel="next"`,
    );
    expect(await (await orders.get(`?status=delivered&after=${delivered[0]?.id}`)).json()).toEqual([delivered[1]]);
    expect(await (await orders.get('?status=approved')).json()).toEqual([]);
  });

  it.each(['?limit=0', '?limit=101', '?limit=1e1', '?status=available', '?after=0', '?petId=1', '?limit=1&limit=2'])(
    'returns 400 for %s',
    async (query) => {
      expect(await errorOf(await orders.get(query))).toMatchObject({ status: 400, code: 'validation_failed' });
    },
  );
});

describe('the ETag of an order', () => {
  it('is the same on every response with the order', async () => {
    const placed = await orders.place(await orders.addPet());
    const { id } = (await placed.json()) as Order;
    const etag = placed.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await orders.get(`/${id}`)).headers.get('etag')).toBe(etag);
    expect((await orders.move(id, 'placed')).headers.get('etag')).toBe(etag);
    expect((await orders.get(`/${id}`, orders.key, { 'If-None-Match': etag })).status).toBe(304);
    const approved = await orders.move(id, 'approved', { 'If-Match': etag });
    expect([approved.status, (await orders.get(`/${id}`)).headers.get('etag')]).toEqual([
      200,
      approved.headers.get('etag'),
    ]);
    expect((await orders.get(`/${id}`, orders.key, { 'If-None-Match': etag })).status).toBe(200);
    expect(await errorOf(await orders.move(id, 'delivered', { 'If-Match': etag }))).toMatchObject({
      status: 412,
      code: 'precondition_failed',
    });
    expect((await orderOf(orders.get(`/${id}`))).status).toBe('approved');
  });

  it('allows one of several changes that are based on the same order', async () => {
    const { id } = await orders.orderAt();
    const etag = (await orders.get(`/${id}`)).headers.get('etag') ?? '';
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => orders.move(id, 'approved', { 'If-Match': etag })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
  });

  it('returns 304 for known pages, and changes when a page gets a next one', async () => {
    await orders.orderAt();
    const page = await orders.get('?limit=1');
    const etag = page.headers.get('etag') ?? '';
    expect((await orders.get('?limit=1', orders.key, { 'If-None-Match': etag })).status).toBe(304);
    await orders.orderAt();
    expect((await orders.get('?limit=1', orders.key, { 'If-None-Match': etag })).status).toBe(200);
  });
});
