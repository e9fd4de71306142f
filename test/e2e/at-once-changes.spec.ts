// @postgres: changes of one row at once wait for it, and creates of keys for a lock.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiKeysRepository } from '../../src/auth/keys/api-keys.repository.js';
import { startApp } from '../support/app.js';
import { onPostgres, queryDatabase } from '../support/databases.js';
import { errorOf, refusalOf } from '../support/expectations.js';
import { AMPLE } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { codeOf as codeAt, created, KeysApi } from '../support/keys-api.js';
import { orderOf, OrdersClient } from '../support/orders.js';
import { until } from '../support/until.js';

const api = new KeysApi();
const { create, issue, list, rotate } = api;
const orders = new OrdersClient();

beforeAll(async () => {
  await api.start();
  orders.service = api.service;
});
afterAll(api.stop);
beforeEach(async () => {
  await api.reset();
  orders.key = await api.service.key({ ...AMPLE, account: `${api.account} of orders` });
});

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const sql = <Row extends object>(statement: string) => queryDatabase<Row>(api.service.folder, statement);

const post = (path: string, body: string) => api.service.post(path, orders.key, body);
const get = (path: string) => api.service.request(path, { key: orders.key });
const patch = (path: string, body: object, key = orders.key) =>
  api.service.request(path, { key, method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) });
const remove = (path: string) => api.service.request(path, { key: orders.key, method: 'DELETE' });

describe('the limit of 100 active keys of an account', () => {
  const LIMIT_REACHED = '409 api_key_limit_reached';

  it('holds for concurrent requests, and does not count keys that have expired', async () => {
    await created(await create({ expiresInSeconds: 1 }));
    api.clock.advanceSeconds(1);
    const responses = await times(120, () => create({ scopes: ['pets:read'] }));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 99 }, () => 201), ...Array.from({ length: 21 }, () => 409)]);
    const refused = await create();
    const { id } = await created(responses.find(({ status }) => status === 201) ?? refused);
    const message = expect.stringContaining('100');
    expect(await errorOf(refused)).toEqual({ status: 409, code: 'api_key_limit_reached', message });
    expect(await refusalOf(rotate(id, { overlapSeconds: 1 }))).toBe(LIMIT_REACHED);
    await created(await rotate(id, { overlapSeconds: 0 }));
    expect(await refusalOf(create())).toBe(LIMIT_REACHED);
  });

  it('holds for requests that are checked before they wait for another operation', async () => {
    for (let n = 2; n < 99; n += 1) await issue();
    const { id } = await issue();
    const checks = jest.spyOn(api.service.app.get(ApiKeysRepository), 'countActive');
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const operation = api.operator.operate(() => {
      begun.resolve();
      return held.promise;
    });
    await begun.promise;
    const waiting = [create(), rotate(id), create()];
    await until(() => checks.mock.calls.length === waiting.length);
    held.resolve();
    await operation;
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 409, 409]);
  });
});

describe('a key', () => {
  it('gets one successor, even from concurrent rotations', async () => {
    const { id } = await issue();
    const responses = await times(20, () => rotate(id));
    const [winner] = await Promise.all(responses.filter(({ status }) => status === 201).map(created));
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    const message = expect.stringContaining(winner?.id ?? 'no winner');
    for (const response of refused)
      expect(await errorOf(response)).toEqual({ status: 409, code: 'api_key_retired', message });
    expect(await (await list()).json()).toHaveLength(3);
  });

  it('that is paused is soon refused, and soon accepted again, by another instance', async () => {
    const second = await startApp({ clock: api.clock, folder: api.service.folder });
    const { id, key } = await issue();
    expect(await codeAt(second, key)).toBe('ok');
    await patch(`/v1/keys/${id}`, { paused: true }, api.manager.key);
    await until(async () => (await codeAt(second, key)) === 'api_key_paused');
    await patch(`/v1/keys/${id}`, { paused: false }, api.manager.key);
    await until(async () => (await codeAt(second, key)) === 'ok');
    await second.stop({ keepData: true });
  });
});

/** The identifier of a new category. */
async function issued(): Promise<number> {
  const response = await post('/v1/categories', '{"name":"n"}');
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
}

it('categories without an identifier each get one of their own while others choose theirs', async () => {
  for (const table of ['categories', 'pets']) await sql(`DELETE FROM "${table}"`);
  const [ids] = await Promise.all([
    times(20, issued),
    times(20, (n) => post('/v1/categories', `{"name":"n","id":${n + 1}}`)),
    times(20, (n) => post('/v1/pets', `{"name":"x","categoryId":${n + 1}}`)),
  ]);
  expect(new Set(ids).size).toBe(20);
});

describe('concurrent changes of an order', () => {
  it('are accepted once', async () => {
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

  it('are accepted once if they are based on the same ETag', async () => {
    const { id } = await orders.orderAt();
    const condition = { 'If-Match': (await orders.get(`/${id}`)).headers.get('etag') ?? '' };
    const statuses = (await times(5, () => orders.move(id, 'approved', condition))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412]);
    expect(await refusalOf(orders.move(id, 'delivered', condition))).toBe('412 precondition_failed');
  });
});

describe('many concurrent changes of one pet', () => {
  const STATUSES = ['available', 'pending', 'sold', null] as const;

  it('never leave sold, and return their own results', async () => {
    const path = `/v1/pets/${await orders.addPet()}`;
    const outcomes = await times(100, async (n) => {
      const asked = STATUSES[n % 4] ?? null;
      const response = await patch(path, { status: asked });
      const { status = null } = (await response.json()) as { status?: string };
      return { asked, code: response.status, status: response.status === 200 ? status : asked };
    });
    for (const { asked, code, status } of outcomes)
      expect([code, status]).toEqual([asked === 'sold' || code === 200 ? 200 : 409, asked]);
    expect(await (await get(path)).json()).toMatchObject({ status: 'sold' });
  });

  it('and removals remove it once', async () => {
    const path = `/v1/pets/${await orders.addPet()}`;
    const responses = await times(40, (n) => (n % 4 === 3 ? remove(path) : patch(path, { name: `name ${n}` })));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
    expect((await get(path)).status).toBe(404);
  });
});

const add = (name: string) => post('/v1/pets', JSON.stringify({ name, categoryId: 1 }));

it('a create fails alone if the database refuses its pet: the others of its batch and later ones succeed', async () => {
  await sql(
    onPostgres
      ? `ALTER TABLE "pets" ADD CHECK ("name" <> 'refused')`
      : `CREATE TRIGGER "refusal" BEFORE INSERT ON "pets" WHEN NEW."name" = 'refused' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  );
  const names = Array.from({ length: 81 }, (_, n) => (n === 40 ? 'refused' : `one of many ${n}`));
  const responses = await Promise.all(names.map(add));
  expect(responses.map(({ status }) => status)).toEqual(names.map((name) => (name === 'refused' ? 500 : 201)));
  const stored = await sql<{ name: string }>(`SELECT "name" FROM "pets" WHERE "name" LIKE 'one of many %'`);
  expect(stored.map(({ name }) => name).toSorted()).toEqual(names.toSpliced(40, 1).toSorted());
  expect((await add('later')).status).toBe(201);
});
