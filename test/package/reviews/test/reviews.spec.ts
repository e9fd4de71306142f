import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock, type JsonResponse, startTestApp, type TestApp } from 'petstore-service/testing';
import { REVIEWS } from '../src/index.js';
import type { ReviewResponse } from '../src/review.dto.js';

const SCOPES = ['pets:read', 'pets:write', 'reviews:read', 'reviews:write', 'orders:write'];

const clock = new FakeClock();

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
    const pet = { name: 'Bella', categoryId: 1, status: 'available' };
    return (await service.json<{ id: number }>('/v1/pets', { key, body: pet })).body.id;
  }

  const review = (rating: number, as = key, pet = petId) =>
    service.json<ReviewResponse>('/v1/reviews', { key: as, body: { petId: pet, rating, text: 'Friendly.' } });
  const get = (path: string) => service.json(`/v1/reviews${path}`, { key });
  const change = (id: number, rating: number, as = key) =>
    service.json(`/v1/reviews/${id}`, { key: as, method: 'PATCH', body: { rating } });
  const remove = (id: number, as = key) => service.json(`/v1/reviews/${id}`, { key: as, method: 'DELETE' });

  it('are created, read, changed and removed', async () => {
    const { status, headers, body: created } = await review(4);
    expect([status, headers.get('location')]).toEqual([201, `/v1/reviews/${created.id}`]);
    expect(created).toEqual({ id: created.id, petId, rating: 4, text: 'Friendly.' });
    expect((await get(`/${created.id}`)).body).toEqual(created);
    expect((await change(created.id, 5)).body).toEqual({ ...created, rating: 5 });
    expect((await remove(created.id)).status).toBe(204);
    for (const id of [created.id, '9223372036854775807', '9223372036854775808'])
      expect(await get(`/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('are limited to one per account and pet', async () => {
    await review(4);
    expect(await review(5)).toMatchObject({ status: 409, body: { code: 'review_exists' } });
    expect((await review(5, await service.key({ scopes: SCOPES }))).status).toBe(201);
    expect(await review(5, key, 404_404)).toMatchObject({ status: 404, body: { code: 'pet_not_found' } });
  });

  it('are created once with an Idempotency-Key', async () => {
    const body = { petId, rating: 4, text: 'Friendly.' };
    const create = () => service.json('/v1/reviews', { key, headers: { 'Idempotency-Key': 'review' }, body });
    const first = await create();
    expect(await create()).toMatchObject({ status: 201, body: first.body });
  });

  it('can be changed and removed by their account only', async () => {
    const { id } = (await review(4)).body;
    const other = await service.key({ scopes: SCOPES });
    expect((await change(id, 1, other)).status).toBe(404);
    expect((await remove(id, other)).status).toBe(404);
    expect((await get(`/${id}`)).body).toMatchObject({ rating: 4 });
  });

  it('keep each of two changes at once, and stay removed', async () => {
    const { id } = (await review(4)).body;
    const write = (text: string) => service.json(`/v1/reviews/${id}`, { key, method: 'PATCH', body: { text } });
    for (const rating of [1, 2, 3, 4, 5]) {
      await Promise.all([change(id, rating), write(`Opinion ${rating}.`)]);
      expect((await get(`/${id}`)).body).toMatchObject({ rating, text: `Opinion ${rating}.` });
    }
    await Promise.all([remove(id), change(id, 1)]);
    expect((await get(`/${id}`)).status).toBe(404);
  });

  it('are listed by descending rating, page by page', async () => {
    for (const rating of [3, 5, 1, 5, 3]) await review(rating, await service.key({ scopes: SCOPES }));
    const seen: ReviewResponse[] = [];
    let next: string | undefined = `?petId=${petId}&limit=2`;
    for (let pages = 0; next !== undefined; pages += 1) {
      expect(pages).toBeLessThan(3);
      const page: JsonResponse<ReviewResponse[]> = await service.json(`/v1/reviews${next}`, { key });
      seen.push(...page.body);
      next = /^<\/v1\/reviews([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen.map(({ rating }) => rating)).toEqual([5, 5, 3, 3, 1]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
    expect((await get('?after=best')).body).toMatchObject({ code: 'validation_failed' });
  });

  it('have a limit on the Free plan', async () => {
    const free = await service.key({ plan: 'free', scopes: SCOPES });
    const pets = [petId, await newPet(), await newPet()];
    const statuses: number[] = [];
    for (const pet of pets) statuses.push((await review(4, free, pet)).status);
    expect(statuses).toEqual([201, 201, 403]);
    expect((await review(4, free, pets[2])).body).toMatchObject({ code: 'review_limit_reached' });
  });

  it('need their scopes', async () => {
    const reader = await service.key({ scopes: ['reviews:read'] });
    expect(await review(4, reader)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('are refused if they are invalid', async () => {
    expect(await review(6)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await get('?limit=0')).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('announce the removal of getReview, and return 410 from its removal date on', async () => {
    const { id } = (await review(4)).body;
    expect((await get(`/${id}`)).headers.get('sunset')).toBe('Wed, 01 Jan 2031 00:00:00 GMT');
    const nowMs = clock.ms;
    clock.set('2031-01-01T00:00:00Z');
    const { status } = await get(`/${id}`);
    clock.ms = nowMs;
    expect(status).toBe(410);
  });

  it('are removed with the sale of their pet, after which their average is computed', async () => {
    const { id } = (await review(4)).body;
    const { id: kept } = (await review(2, key, await newPet())).body;
    const average = async () =>
      /^petstore_reviews_average_rating (.*)$/m.exec(await (await service.request('/metrics')).text())?.[1];
    const order = await service.json<{ id: number }>('/v1/store/orders', { key, body: { petId } });
    const path = `/v1/store/orders/${order.body.id}`;
    for (const status of ['approved', 'delivered']) {
      expect((await get(`/${id}`)).status).toBe(200);
      expect((await service.json(path, { key, method: 'PATCH', body: { status } })).status).toBe(200);
    }
    expect((await get(`/${id}`)).status).toBe(404);
    expect((await get(`/${kept}`)).status).toBe(200);
    const [{ expected } = { expected: 0 }] = await service.database.query<{ expected: number }>(
      'SELECT AVG("rating") AS "expected" FROM "reviews"',
    );
    while ((await average()) !== String(Number(expected))) await nextTurn();
  });

  it('have a health indicator', async () => {
    expect((await service.json('/health/ready')).body).toMatchObject({ status: 'ready', reviews: 'up' });
  });

  it('are in the OpenAPI document', async () => {
    const { paths } = (await service.json<{ paths: object }>('/openapi.json')).body;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/reviews', '/reviews/{reviewId}']));
  });
});
