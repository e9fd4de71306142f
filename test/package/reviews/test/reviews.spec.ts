import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock, startTestApp, type TestApp } from 'petstore-service/testing';
import { REVIEWS } from '../src/index.js';

const SCOPES = ['pets:read', 'pets:write', 'reviews:read', 'reviews:write', 'orders:write'];

const clock = new FakeClock();

const body = async (response: Promise<Response>) => (await (await response).json()) as Record<string, unknown>;

describe('reviews', () => {
  let service: TestApp;
  let key: string;
  let petId: number;

  beforeAll(async () => {
    service = await startTestApp({ clock, extensions: [REVIEWS] });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    key = await service.key({ scopes: SCOPES });
    petId = await newPet();
  });

  async function newPet(): Promise<number> {
    const pet = await service.post('/v1/pets', key, { name: 'Bella', categoryId: 1, status: 'available' });
    return ((await pet.json()) as { id: number }).id;
  }

  const review = (rating: number, as = key, pet = petId) =>
    service.post('/v1/reviews', as, { petId: pet, rating, text: 'Friendly.' });
  const get = (path: string, as = key) => service.request(`/v1/reviews${path}`, { key: as });
  const send = (method: string, path: string, value: object, as = key) =>
    service.request(path, {
      key: as,
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    });
  const change = (id: unknown, rating: number, as = key) => send('PATCH', `/v1/reviews/${id}`, { rating }, as);
  const remove = (id: unknown, as = key) => service.request(`/v1/reviews/${id}`, { key: as, method: 'DELETE' });

  it('are created, read, changed and removed', async () => {
    const response = await review(4);
    const created = (await response.json()) as { id: number };
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`/v1/reviews/${created.id}`);
    expect(created).toEqual({ id: created.id, petId, rating: 4, text: 'Friendly.' });
    expect(await body(get(`/${created.id}`))).toEqual(created);
    expect(await body(change(created.id, 5))).toEqual({ ...created, rating: 5 });
    expect((await remove(created.id)).status).toBe(204);
    for (const id of [created.id, '9223372036854775807', '9223372036854775808'])
      expect(await body(get(`/${id}`))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('are limited to one per account and pet', async () => {
    await review(4);
    expect(await body(review(5))).toMatchObject({ status: 409, code: 'review_exists' });
    expect((await review(5, await service.key({ scopes: SCOPES }))).status).toBe(201);
    expect(await body(review(5, key, 404_404))).toMatchObject({ status: 404, code: 'pet_not_found' });
  });

  it('are created once with an Idempotency-Key', async () => {
    const request = {
      key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'review' },
      body: JSON.stringify({ petId, rating: 4, text: 'Friendly.' }),
    };
    const [first, second] = [
      await service.request('/v1/reviews', request),
      await service.request('/v1/reviews', request),
    ];
    expect([second.status, await second.text()]).toEqual([201, await first.text()]);
  });

  it('can be changed and removed by their account only', async () => {
    const { id } = await body(review(4));
    const other = await service.key({ scopes: SCOPES });
    expect((await change(id, 1, other)).status).toBe(404);
    expect((await remove(id, other)).status).toBe(404);
    expect(await body(get(`/${id}`))).toMatchObject({ rating: 4 });
  });

  it('are listed by descending rating, page by page', async () => {
    const ratings = [3, 5, 1, 5, 3];
    for (const rating of ratings) await review(rating, await service.key({ scopes: SCOPES }));
    const seen: { id: number; rating: number }[] = [];
    let next: string | undefined = `?petId=${petId}&limit=2`;
    for (let pages = 0; next !== undefined; pages += 1) {
      expect(pages).toBeLessThan(3);
      const response: Response = await get(next);
      seen.push(...((await response.json()) as typeof seen));
      next = /^<\/v1\/reviews([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen.map(({ rating }) => rating)).toEqual([5, 5, 3, 3, 1]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
    expect(await body(get('?after=best'))).toMatchObject({ code: 'validation_failed' });
  });

  it('have a limit on the Free plan', async () => {
    const free = await service.key({ plan: 'free', scopes: SCOPES });
    const pets = [petId, await newPet(), await newPet()];
    const statuses: number[] = [];
    for (const pet of pets) statuses.push((await review(4, free, pet)).status);
    expect(statuses).toEqual([201, 201, 403]);
    expect(await body(review(4, free, pets[2]))).toMatchObject({ code: 'review_limit_reached' });
  });

  it('need their scopes', async () => {
    const reader = await service.key({ scopes: ['reviews:read'] });
    expect(await body(review(4, reader))).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });

  it('are refused if they are invalid', async () => {
    expect(await body(review(6))).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await body(get('?limit=0'))).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it('announce the removal of getReview, and return 410 from its removal date on', async () => {
    const { id } = await body(review(4));
    expect((await get(`/${id}`)).headers.get('sunset')).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
    const nowMs = clock.ms;
    clock.set('2031-01-01T00:00:00Z');
    const response = await get(`/${id}`);
    clock.ms = nowMs;
    expect(response.status).toBe(410);
  });

  it('are removed with the sale of their pet, after which their average is computed', async () => {
    const { id } = await body(review(4));
    const { id: kept } = await body(review(2, key, await newPet()));
    const average = async () =>
      /^petstore_reviews_average_rating (.*)$/m.exec(await (await service.request('/metrics')).text())?.[1];
    const order = await body(service.post('/v1/store/orders', key, { petId }));
    for (const status of ['approved', 'delivered']) {
      expect((await get(`/${id}`)).status).toBe(200);
      expect((await send('PATCH', `/v1/store/orders/${order['id']}`, { status })).status).toBe(200);
    }
    expect((await get(`/${id}`)).status).toBe(404);
    expect((await get(`/${kept}`)).status).toBe(200);
    const [{ expected } = { expected: 0 }] = await service.database.query<{ expected: number }>(
      'SELECT AVG("rating") AS "expected" FROM "reviews"',
    );
    while ((await average()) !== String(Number(expected))) await nextTurn();
  });

  it('have a health indicator', async () => {
    expect(await body(service.request('/health/ready'))).toMatchObject({ status: 'ready', reviews: 'up' });
  });

  it('are in the OpenAPI document', async () => {
    const { paths } = (await body(service.request('/openapi.json'))) as { paths: Record<string, unknown> };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/reviews', '/reviews/{reviewId}']));
  });
});
